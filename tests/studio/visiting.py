"""A browser without a screen that has come into a studio, and a small table for it."""

import re
import time
from dataclasses import dataclass

from starlette.testclient import TestClient

from privet.studio.application import Studio
from privet.studio.tabs import Tab

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
PATIENCE_S = 60


def table_text(rows: int = 80) -> str:
    """People with a number, an age, a town, a diagnosis, and whether they came back."""
    lines = ["id,age,town,diagnosis,readmitted"]
    for i in range(rows):
        back = "yes" if (i * 7 % 50) > 24 or i % 11 == 0 else "no"
        town = ("Aix", "Bonn", "Cork")[i % 3]
        lines.append(f"p{i},{20 + i * 7 % 50},{town},{('flu', 'gout', 'none')[i % 5 % 3]},{back}")
    return "\n".join(lines) + "\n"


@dataclass
class Visitor:
    """A browser that has come in, without a screen."""

    client: TestClient
    studio: Studio
    here: str = ""

    def open_tab(self) -> "Visitor":
        answer = self.client.get("/")
        assert answer.status_code == 200
        return Visitor(self.client, self.studio, answer.url.path)

    @property
    def tab(self) -> Tab:
        found = self.studio.tabs.get(self.here.removeprefix("/tab/"))
        assert found is not None
        return found

    def do(self, step: str, **fields: object) -> str:
        answer = self.client.post(f"{self.here}/do/{step}", data=fields)
        assert answer.status_code == 200, answer.text
        return answer.text

    def refused(self, step: str, **fields: object) -> str:
        answer = self.client.post(f"{self.here}/do/{step}", data=fields)
        assert answer.status_code == 422, answer.text
        return answer.text

    def drop(self, content: bytes, name: str, purpose: str = "table") -> str:
        headers = {"X-File-Name": name, "Content-Type": "application/octet-stream"}
        answer = self.client.post(f"{self.here}/upload/{purpose}", content=content, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.text

    def wait(self, part: str) -> str:
        """Until a part of the page is no longer at work."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            answer = self.client.get(f"{self.here}/part/{part}")
            if answer.status_code == 200 and not self.tab.jobs[part].is_running:
                again = self.client.get(f"{self.here}/part/{part}")
                return again.text
            time.sleep(0.02)
        raise AssertionError(f"{part} is still at work")

    def opened(self, content: str | None = None, name: str = "people.csv") -> "Visitor":
        self.drop((content or table_text()).encode(), name)
        self.wait("table")
        return self

    def choose(self, column: str, role: str) -> str:
        number = [one["name"] for one in self.tab.columns].index(column)
        return self.do("role", column=number, role=role)


def words_of(html: str) -> str:
    """What a reader sees."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())
