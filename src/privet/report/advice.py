"""The advice of `privet advise` as a picture: right answers by number of bins, for each gamma."""

from markupsafe import Markup

from privet.files.figures import SVG, new_figure, picture_bytes
from privet.files.svg import as_file
from privet.report.plots import Series, line_chart
from privet.substitution.advise import Advice, Trial

_TITLE = "Right answers (%) of trees grown from substituted records"
_BINS = "bins for each column of numbers"
_CLEAR = "from the originals"


def advice_picture(advice: Advice, ending: str, asked: float | None = None) -> bytes:
    """A line for each gamma over the number of bins; what is advised has a ring. `asked` is the
    share of right answers to be reached."""
    if ending.lower() == SVG:
        return as_file(_charts(advice, asked)).encode("utf-8")
    figure = new_figure(8, 5, layout="constrained")
    axes = figure.subplots()
    for gamma, trials in _by_gamma(advice).items():
        found = [100 * trial.accuracy for trial in trials]
        axes.plot([trial.bins for trial in trials], found, "o-", label=_named(gamma, advice))
    axes.axhline(100 * advice.clean, color="grey", linestyle="dashed", label=_CLEAR)
    if asked is not None:
        axes.axhline(100 * asked, color="black", linestyle="dotted", label="asked for")
    best = advice.best(asked)
    if best is not None:
        place = [best.bins], [100 * best.accuracy]
        axes.scatter(*place, s=200, facecolors="none", edgecolors="black", label="advised")
    bins = sorted({trial.bins for trial in advice.trials})
    axes.set_xscale("log")
    axes.set_xticks(bins, [str(n) for n in bins])
    axes.minorticks_off()
    axes.set_xlabel(_BINS)
    axes.set_ylabel("right answers (%)")
    axes.set_title(_TITLE)
    figure.legend(loc="outside right center")
    return picture_bytes(figure, ending)


def _named(gamma: int, advice: Advice) -> str:
    """A gamma in words; the smaller, the less a record tells."""
    every = sorted({trial.gamma for trial in advice.trials})
    if len(every) == 1 or gamma not in (every[0], every[-1]):
        return f"gamma {gamma}"
    return f"gamma {gamma}, {'most' if gamma == every[0] else 'least'} private"


def _by_gamma(advice: Advice) -> dict[int, list[Trial]]:
    trials = sorted(advice.trials, key=lambda trial: (trial.gamma, trial.bins))
    return {
        gamma: [trial for trial in trials if trial.gamma == gamma]
        for gamma in dict.fromkeys(trial.gamma for trial in trials)
    }


def _charts(advice: Advice, asked: float | None) -> list[Markup]:
    bins = sorted({trial.bins for trial in advice.trials})
    series = []
    for gamma, trials in _by_gamma(advice).items():
        found = {trial.bins: 100 * trial.accuracy for trial in trials}
        series.append(Series(_named(gamma, advice), [found.get(n) for n in bins]))
    series.append(Series(_CLEAR, [100 * advice.clean for _ in bins]))
    if asked is not None:
        series.append(Series("asked for", [100 * asked for _ in bins]))
    best = advice.best(asked)
    chosen = None if best is None else best.bins
    chart = line_chart(_TITLE, bins, series, chosen, across=_BINS, mark="advised")
    return [] if chart is None else [chart]
