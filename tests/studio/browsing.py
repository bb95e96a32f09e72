"""A real Chromium without a screen, for tests and pictures of the studio."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE_S = 120


def programs() -> tuple[str, str] | None:
    """Chromium and its driver; None where one of them is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


@contextmanager
def chromium(width: int = 1200, height: int = 1000, waits: bool = True) -> Iterator[Any]:
    """A browser; one that does not wait acts on pages that are still being loaded, as people do."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    found = programs()
    assert found is not None
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.page_load_strategy = "normal" if waits else "none"
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found[1]))
    try:
        resize(driver, width, height)
        yield driver
    finally:
        driver.quit()


def resize(driver: Any, width: int, height: int = 1000, zoom: int = 1) -> None:
    """A window of so many points; zoomed in, each takes several of the screen."""
    size = {"width": width, "height": height, "deviceScaleFactor": zoom, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(driver: Any, colours: str) -> None:
    """Light or dark, at once: nothing is looked at while it changes."""
    asked = {"prefers-color-scheme": colours, "prefers-reduced-motion": "reduce"}
    wanted = {"features": [{"name": name, "value": value} for name, value in asked.items()]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)


@contextmanager
def slow_network(driver: Any, latency_ms: int) -> Iterator[None]:
    """Every answer comes so much later."""
    wide_open = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd("Network.emulateNetworkConditions", wide_open | {"latency": latency_ms})
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", wide_open | {"latency": 0})


@contextmanager
def studio_at(folder: Path, *arguments: str) -> Iterator[str]:
    """A studio that was started in a folder; its address."""
    server = subprocess.Popen(
        [sys.executable, "-m", "privet", "studio", "--no-browser", *arguments],
        cwd=folder,
        env=os.environ | {"TMPDIR": str(folder.parent)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.communicate(timeout=30)


class Page:
    """What a person does in a tab of the studio."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def all(self, selector: str) -> list[Any]:
        return list(self.driver.find_elements("css selector", selector))

    def until(self, selector: str) -> Any:
        """Wait for something to be there; it."""
        from selenium.webdriver.support.ui import WebDriverWait

        return WebDriverWait(self.driver, PATIENCE_S, 0.1).until(lambda _: self.all(selector))[0]

    def until_gone(self, selector: str) -> None:
        from selenium.webdriver.support.ui import WebDriverWait

        WebDriverWait(self.driver, PATIENCE_S, 0.1).until(lambda _: not self.all(selector))

    def loaded(self) -> "Page":
        """Wait until the page of a tab is whole: the address with the token only leads there."""
        from selenium.webdriver.support.ui import WebDriverWait

        whole = "return location.pathname.startsWith('/tab/') && document.readyState === 'complete'"
        WebDriverWait(self.driver, PATIENCE_S, 0.05).until(lambda d: d.execute_script(whole))
        return self

    def patiently(self, act: Callable[[], Any]) -> Any:
        """Act again where a part of the page was just replaced by a newer one."""
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            StaleElementReferenceException,
        )
        from selenium.webdriver.support.ui import WebDriverWait

        passing = (StaleElementReferenceException, ElementClickInterceptedException)
        wait = WebDriverWait(self.driver, PATIENCE_S, 0.1, ignored_exceptions=passing)
        return wait.until(lambda _: act())

    def click(self, selector: str) -> None:
        def clicked() -> bool:
            found = self.until(selector)
            self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
            found.click()
            return True

        self.patiently(clicked)

    def choose(self, column: str, role: str) -> None:
        names = self.patiently(lambda: [one.text for one in self.all(".card legend")])
        self.click(f"label[for=role-{names.index(column)}-{role}]")

    def explored(self) -> "Page":
        self.until("#part-trade_off .charts svg")
        self.until_gone("#part-trade_off .job")
        return self

    def previewed(self) -> "Page":
        self.click("tr.chosen button.size")
        self.until("#part-preview svg.tree")
        return self

    def published(self) -> "Page":
        self.click("#publish-form button")
        self.until("#fingerprint")
        return self

    def overflows(self) -> bool:
        """Whether the page is wider than the window."""
        wide = "const e = document.documentElement; return e.scrollWidth > e.clientWidth"
        return bool(self.driver.execute_script(wide))

    def complaints(self) -> list[str]:
        """What the browser says of scripts, policies and files."""
        return [entry["message"] for entry in self.driver.get_log("browser")]
