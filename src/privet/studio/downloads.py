"""What may be taken away from a tab: the schema of its table."""

from starlette.responses import PlainTextResponse, Response

from privet.schema import Column, Kind, Role, Schema
from privet.studio.tabs import Tab


def download(tab: Tab, name: str) -> Response:
    """A file by the name that the page gives it."""
    if name == "schema.toml" and tab.columns and tab.table is not None:
        text = schema_of(tab).to_toml()
        return _as_file(text.encode(), f"{tab.table.name.partition('.')[0]}.toml", "text/plain")
    return PlainTextResponse("There is no such file.\n", 404)


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
