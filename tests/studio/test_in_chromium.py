"""The studio in a real browser: by mouse, by keyboard, on a phone, and with a hostile table."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import privet
from studio.browsing import Page, chromium, prefer, programs, resize, slow_network, studio_at
from studio.visiting import table_text

pytestmark = pytest.mark.skipif(programs() is None, reason="needs chromium and chromedriver")
ROOT = Path(__file__).parents[2]
AXE = [Path(os.environ.get("PRIVET_AXE", "")), ROOT / "build" / "axe" / "package" / "axe.min.js"]
HOSTILE = (
    '"<script>document.title=\'run\'</script>","x"" onmouseover=""document.title=1",y\n'
    + "".join(
        f'"<img src=x onerror=document.title={i}>",&lt;b&gt;{i % 3},'
        f"{'yes' if (i % 3 == 0) != (i % 7 == 0) else 'no'}\n"
        for i in range(120)
    )
)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("studio") / "home"
    place.mkdir()
    (place / "people.csv").write_text(table_text(60))
    (place / "hostile.csv").write_text(HOSTILE)
    (place / "long.csv").write_text(table_text(30_000))
    (place / "wrong.csv").write_bytes(b"a,b\n1,2,3\n")
    return place


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with studio_at(folder) as found:
        yield found


@pytest.fixture
def page(driver: Any, address: str) -> Iterator[Page]:
    resize(driver, 1200)
    prefer(driver, "light")
    driver.get(address)
    found = Page(driver).loaded()
    yield found
    assert found.complaints() == []


def opened(page: Page, name: str) -> Page:
    page.until("#path").send_keys(name)
    page.click(".drop form button")
    return page


def test_from_a_file_to_a_verified_release(page: Page, folder: Path) -> None:
    page.until("#file-table").send_keys(str(folder / "people.csv"))
    page.choose("readmitted", "target")
    page.explored().previewed().published()
    assert "Published and verified" in page.until("#part-publish").text
    fingerprint = page.until("#fingerprint").text
    assert privet.verify(folder / "people-release", fingerprint)
    assert (folder / "people-audit" / "audit.json").exists()
    page.until("#release-path").send_keys("people-release")
    page.until("#fingerprint-given").send_keys(fingerprint)
    page.click("#verify form button")
    page.until("#part-verify .answers")
    assert "everything that the files can show holds" in page.until("#part-verify").text


def test_a_file_may_be_chosen_as_soon_as_the_page_shows_where(address: str, folder: Path) -> None:
    with chromium(waits=False) as hasty, slow_network(hasty, 500):
        hasty.get(address)
        Page(hasty).until("#file-table").send_keys(str(folder / "people.csv"))
        assert Page(hasty).until(".card")


def test_a_point_and_a_node_can_be_clicked(page: Page) -> None:
    opened(page, "people.csv").choose("readmitted", "target")
    page.explored()
    page.click('svg [data-press="size-3"]')
    page.until("#part-preview svg.tree")
    assert page.until("#size-3").get_attribute("aria-pressed") == "true"
    page.click('svg [data-node="1"]')
    assert "records" in page.until("#node-shown").text
    assert page.until("#command").text.count("3") >= 1


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    def press(*keys: str) -> None:
        ActionChains(page.driver).send_keys(*keys).perform()

    def focus_reaches(selector: str, most: int = 120) -> None:
        for _ in range(most):
            press(Keys.TAB)
            if page.driver.switch_to.active_element in page.all(selector):
                return
        raise AssertionError(f"the focus never reaches {selector}")

    focus_reaches("#path")
    press("people.csv", Keys.ENTER)
    page.until(".card")
    focus_reaches("#column-4 input")
    press(Keys.ARROW_RIGHT)  # from known to sensitive
    press(Keys.ARROW_RIGHT)  # to the target
    page.explored()
    focus_reaches("#size-2")
    press(Keys.ENTER)
    page.until("#part-preview svg.tree")
    focus_reaches("#out")
    focus_reaches("#publish-form button")
    press(Keys.ENTER)
    page.until("#fingerprint")
    focus_reaches("#release-path", 200)
    press(Path(page.until("#part-publish bdi").text).name, Keys.ENTER)
    page.until("#part-verify .answers")


def test_a_hostile_table_runs_nothing(page: Page) -> None:
    opened(page, "hostile.csv").choose("y", "target")
    page.explored()
    page.click("button.size")
    page.until("#part-preview svg.tree, #part-preview .warning")
    assert page.driver.title == "Privet studio"
    assert page.all("main img") == []
    assert page.all("main script") == []


def test_wrong_files_are_told(page: Page) -> None:
    opened(page, "wrong.csv")
    assert "Hint:" in page.until("#part-table .warning").text
    opened(page, "../elsewhere.csv")
    assert "outside the folder" in page.until("#message .warning").text
    page.complaints()  # a refusal is an answer that the browser lists as well


def test_cancel_ends_the_work(page: Page) -> None:
    opened(page, "long.csv").choose("readmitted", "target")
    page.click("#part-trade_off .job button")
    page.until_gone("#part-trade_off .job progress")
    assert "Cancelled." in page.until("#part-trade_off").text


def test_two_tabs_do_not_disturb_each_other(page: Page, address: str) -> None:
    driver = page.driver
    first = driver.current_window_handle
    opened(page, "people.csv").choose("town", "drop")
    driver.switch_to.new_window("tab")
    driver.get(address)
    other = Page(driver)
    opened(other, "hostile.csv").until(".card")
    assert "people.csv" not in driver.page_source
    driver.close()
    driver.switch_to.window(first)
    assert "hostile.csv" not in driver.page_source
    assert page.until("#role-2-drop").is_selected()


@pytest.mark.parametrize("width", [345, 768, 1920])
def test_no_screen_is_too_narrow(page: Page, width: int) -> None:
    resize(page.driver, width)
    opened(page, "people.csv").choose("readmitted", "target")
    page.explored()
    page.click("tr.chosen button.size")
    page.until("#publish-form")
    assert not page.overflows()
    if width == 345:
        assert page.until("details.outline").get_attribute("open") is not None


def test_a_page_of_another_site_gets_nothing(page: Page, folder: Path) -> None:
    here = page.driver.current_url
    foreign = folder / "foreign.html"
    foreign.write_text("<title>foreign</title>")
    page.driver.get(foreign.as_uri())
    script = """
        const done = arguments[arguments.length - 1];
        fetch(arguments[0], {credentials: "include"}).then((a) => a.text()).then(
            (text) => done("got " + text.length), () => done("nothing"));
    """
    assert page.driver.execute_async_script(script, here) == "nothing"
    post = script.replace('credentials: "include"', 'credentials: "include", method: "POST"')
    assert page.driver.execute_async_script(post, f"{here}/do/open_path") == "nothing"
    page.complaints()  # the browser tells of what it refused


def test_everything_is_there_at_twice_the_size(page: Page) -> None:
    """A window of 1,200 points at 200 % has room for 600."""
    resize(page.driver, 600, 500, zoom=2)
    opened(page, "people.csv").choose("diagnosis", "sensitive")
    page.choose("readmitted", "target")
    page.explored()
    page.click(".more summary")
    assert not page.overflows()
    page.previewed().published()
    assert not page.overflows()
    hidden = """
        return [...document.querySelectorAll("main button, main input, main select, main a")]
            .filter((one) => one.checkVisibility() && !one.closest(".wide, .choices"))
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => one.outerHTML.slice(0, 80))"""
    assert page.driver.execute_script(hidden) == []


def test_more_settings_are_closed_and_change_the_command(page: Page) -> None:
    from selenium.webdriver.support.ui import Select

    opened(page, "people.csv").choose("readmitted", "target")
    page.explored()
    assert page.until("details.more").get_attribute("open") is None
    page.click(".more summary")
    Select(page.until("#more-recoding")).select_by_value("global")
    page.until("#part-trade_off .job")
    page.explored().previewed()
    assert "--recoding global" in page.until("#command").text


def test_a_release_is_dropped_as_a_folder(page: Page, folder: Path) -> None:
    people = {"age": [30, 31, 32, 60, 61, 62], "buys": ["no"] * 3 + ["yes"] * 3}
    if not (folder / "shop").exists():
        privet.publish(people, target="buys", k=3).save(folder / "shop", format="parts")
    place = page.until("#verify .drop")
    page.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", place)
    middle = page.driver.execute_script(
        "const r = arguments[0].getBoundingClientRect(); return [r.x + 9, r.y + 9]", place
    )
    for kind in ("dragEnter", "dragOver", "drop"):
        dragged = {"items": [], "files": [str(folder / "shop")], "dragOperationsMask": 1}
        event = {"type": kind, "x": middle[0], "y": middle[1], "data": dragged}
        page.driver.execute_cdp_cmd("Input.dispatchDragEvent", event)
    page.until("#part-verify .answers")
    assert "everything that the files can show holds" in page.until("#part-verify").text
    page.until("#folder-release").send_keys(str(folder / "shop"))
    page.until_gone("#part-verify .answers")
    page.until("#part-verify .answers")
    assert "everything that the files can show holds" in page.until("#part-verify").text


def serious(page: Page, axe: Path) -> list[tuple[str, str, list[str]]]:
    """What axe finds that keeps somebody from using the page, by day and by night."""
    page.driver.execute_cdp_cmd(  # the page itself may not add a script, so the browser does
        "Runtime.evaluate", {"expression": axe.read_text(encoding="utf-8")}
    )
    found = []
    for colours in ("light", "dark"):
        prefer(page.driver, colours)
        told = page.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations']}).then((r) => done(r.violations));"
        )
        found += [
            (colours, one["id"], [node["html"][:150] for node in one["nodes"]][:3])
            for one in told
            if one["impact"] in ("serious", "critical")
        ]
    return found


def test_no_serious_finding_for_those_who_do_not_see(page: Page) -> None:
    axe = next((path for path in AXE if path.is_file()), None)
    if axe is None:
        pytest.skip("axe-core is not here: npm pack axe-core, and name it in PRIVET_AXE")
    assert serious(page, axe) == []
    opened(page, "people.csv").choose("diagnosis", "sensitive")
    page.choose("readmitted", "target")
    page.explored().click(".more summary")
    assert serious(page, axe) == []
    page.previewed()
    assert serious(page, axe) == []
    page.published()
    page.until("#release-path").send_keys("people-release")
    page.click("#verify form button")
    page.until("#part-verify .answers")
    assert serious(page, axe) == []
