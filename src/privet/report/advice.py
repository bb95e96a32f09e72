"""The advice of `privet advise` as a picture: right answers against epsilon, a line for each N."""

from markupsafe import Markup

from privet.files.figures import SVG, new_figure, picture_bytes
from privet.files.svg import as_file
from privet.report.plots import Series, line_chart
from privet.substitution.advise import Advice, Trial

_TITLE = "Right answers (%) of trees grown from substituted records"
_EPSILON = "epsilon of a whole record: the smaller, the more private"
_CLEAR = "from the originals"
_MAJORITY = "commonest class alone"


def advice_picture(advice: Advice, ending: str, asked: float | None = None) -> bytes:
    """A line for each number of bins over epsilon; what is advised has a ring. `asked` is the share
    of right answers to be reached."""
    if ending.lower() == SVG:
        return as_file(advice_charts(advice, asked)).encode("utf-8")
    figure = new_figure(8, 5, layout="constrained")
    axes = figure.subplots()
    for bins, trials in _by_bins(advice).items():
        places = [trial.epsilon for trial in trials]
        found = [100 * trial.accuracy for trial in trials]
        errors = [100 * trial.standard_error for trial in trials]
        axes.errorbar(places, found, errors, fmt="o-", capsize=3, label=f"{bins} bins")
    levels = {_CLEAR: (advice.clean, "dashed"), _MAJORITY: (advice.majority, "dashdot")}
    if asked is not None:
        levels["asked for"] = (asked, "dotted")
    for name, (share, style) in levels.items():
        axes.axhline(100 * share, color="grey", linestyle=style, label=name)
    best = advice.best(asked)
    if best is not None:
        place = [best.epsilon], [100 * best.accuracy]
        axes.scatter(*place, s=200, facecolors="none", edgecolors="black", label="advised")
    axes.set_xlabel(_EPSILON)
    axes.set_ylabel("right answers (%)")
    axes.set_title(_TITLE)
    figure.legend(loc="outside right center")
    return picture_bytes(figure, ending)


def _by_bins(advice: Advice) -> dict[int, list[Trial]]:
    trials = sorted(advice.trials, key=lambda trial: (trial.bins, trial.epsilon))
    return {
        bins: [trial for trial in trials if trial.bins == bins]
        for bins in dict.fromkeys(trial.bins for trial in trials)
    }


def advice_charts(advice: Advice, asked: float | None) -> list[Markup]:
    """The same for pages."""
    places = sorted({trial.epsilon for trial in advice.trials})
    series = []
    for bins, trials in _by_bins(advice).items():
        found = {trial.epsilon: 100 * trial.accuracy for trial in trials}
        series.append(Series(f"{bins} bins", [found.get(place) for place in places]))
    levels = {_CLEAR: advice.clean, _MAJORITY: advice.majority}
    if asked is not None:
        levels["asked for"] = asked
    for name, share in levels.items():
        series.append(Series(name, [100 * share for _ in places]))
    best = advice.best(asked)
    chosen = None if best is None else best.epsilon
    chart = line_chart(_TITLE, places, series, chosen, across=_EPSILON, mark="advised")
    return [] if chart is None else [chart]
