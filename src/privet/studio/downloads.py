"""What may be taken away from a tab: the schema of its table, its release, and pages about it."""

from pathlib import Path

from starlette.responses import FileResponse, PlainTextResponse, Response

from privet.release.audit import STEWARD
from privet.release.layout import REPORT
from privet.schema import Column, Kind, Role, Schema
from privet.studio.door import REPORT_POLICY
from privet.studio.tabs import Tab


def download(tab: Tab, name: str) -> Response:
    """A file by the name that the page gives it; there are no others."""
    if name == "schema.toml" and tab.columns and tab.table is not None:
        text = schema_of(tab).to_toml()
        return _as_file(text.encode(), f"{tab.table.name.partition('.')[0]}.toml", "text/plain")
    preview, published = tab.jobs.get("preview"), tab.jobs.get("publish")
    if name == "preview.html" and preview is not None and preview.state == "done":
        return _page(Path(preview.arguments["folder"]) / REPORT)
    if published is not None and published.state == "done":
        places, archive = published.arguments["places"], Path(published.arguments["archive"])
        if name == "release.zip":
            return FileResponse(archive, filename=archive.name, media_type="application/zip")
        if name == "report.html":
            return _page(Path(places["out"]) / REPORT)
        if name == "steward.html" and "audit" in places:
            return _page(Path(places["audit"]) / STEWARD)
    return PlainTextResponse("There is no such file.\n", 404)


def _page(path: Path) -> Response:
    """A page of a release, which has styles and nothing that runs."""
    if not path.is_file():
        return PlainTextResponse("There is no such page.\n", 404)
    return FileResponse(
        path, media_type="text/html", headers={"Content-Security-Policy": REPORT_POLICY}
    )


def schema_of(tab: Tab) -> Schema:
    """Kinds and roles as they are chosen. What is left out is written as an identifier, which is
    neither used nor released."""
    columns = []
    for column in tab.columns:
        role = tab.choices.roles[column["name"]]
        kept = Role.IDENTIFIER if role == "drop" else Role(role)
        columns.append(Column(column["name"], Kind(column["kind"]), kept))
    return Schema(tuple(columns), missing=tab.choices.missing)


def _as_file(content: bytes, name: str, kind: str) -> Response:
    from urllib.parse import quote

    told = f"attachment; filename*=UTF-8''{quote(name)}"
    return Response(content, media_type=kind, headers={"Content-Disposition": told})
