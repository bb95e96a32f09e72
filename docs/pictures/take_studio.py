"""The pictures of the studio in README and docs, made in a real Chromium: `make screenshots`.

The table is a built-in one, drawn at random from a seed. Needs chromium and chromedriver.
"""

import sys
import tempfile
from pathlib import Path

from privet.datasets import hospital
from privet.files import write_table
from studio.browsing import Page, chromium, prefer, programs, resize, studio_at

HERE = Path(__file__).parent
ROWS, SEED = 400, 7


def main() -> int:
    if programs() is None:
        print(
            "No chromium with its driver is here.", "Hint: apt install chromium-driver.", sep="\n"
        )
        return 2
    with tempfile.TemporaryDirectory() as place:
        home = Path(place) / "clinic"
        home.mkdir()
        write_table(hospital(ROWS, seed=SEED), home / "patients.csv")
        with studio_at(home, "patients.csv") as address, chromium() as driver:
            driver.get(address)
            take_all(Page(driver))
    return 0


def take_all(page: Page) -> None:
    """The whole way once, with a picture of each step."""
    page.choose("diagnosis", "sensitive")
    page.choose("readmitted", "target")
    page.until_gone("#part-risk .job")
    take(page, "#h-table", "studio-table.png", 1200, 1000)
    page.explored()
    take(page, "#h-trade", "studio-trade-off.png", 1200, 1000)
    page.click("details.more summary")
    take(page, "details.more", "studio-settings.png", 1200, 700)
    page.click("details.more summary")
    page.previewed()
    take(page, "#h-preview", "studio-preview.png", 1200, 1000)
    take(page, "#h-trade", "studio-phone.png", 360, 760, "dark")
    resize(page.driver, 1200)
    page.published()
    take(page, "#h-publish", "studio-publish.png", 1200, 760)


def take(page: Page, where: str, name: str, wide: int, high: int, colours: str = "light") -> None:
    """What is seen from a heading on."""
    resize(page.driver, wide, high)
    prefer(page.driver, colours)
    heading = page.until(where)
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'start'})", heading)
    page.driver.save_screenshot(str(HERE / name))
    prefer(page.driver, "light")


if __name__ == "__main__":
    sys.exit(main())
