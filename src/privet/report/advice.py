"""The advice of `privet advise` as a picture: accuracy, gamma and N against entropy."""

from markupsafe import Markup

from privet.files.figures import SVG, new_figure, picture_bytes
from privet.files.svg import as_file
from privet.report.plots import Series, point_chart
from privet.substitution.advise import Advice


def advice_picture(advice: Advice, ending: str) -> bytes:
    """The paper's Figure 5: accuracy, gamma and N against the entropy of the matrix."""
    if ending.lower() == SVG:
        return as_file(_charts(advice)).encode("utf-8")
    figure = new_figure(8, 5, layout="constrained")
    left = figure.subplots()
    right = left.twinx()
    entropy = [trial.entropy for trial in advice.trials]
    marks = (
        (left, "gamma", [t.gamma for t in advice.trials], "D", "tab:blue"),
        (left, "N", [t.bins for t in advice.trials], "s", "tab:gray"),
        (right, "accuracy", [100 * t.accuracy for t in advice.trials], "^", "tab:red"),
    )
    for axis, label, values, marker, colour in marks:
        axis.scatter(entropy, values, marker=marker, color=colour, label=label, s=22, alpha=0.8)
    left.set_xlabel("entropy of the matrix (bits)")
    left.set_ylabel("gamma, N")
    right.set_ylabel("accuracy (%)")
    right.set_ylim(0, 100)
    figure.legend(loc="outside upper center", ncol=3)
    return picture_bytes(figure, ending)


def _charts(advice: Advice) -> list[Markup]:
    trials, name = advice.trials, "entropy of the matrix (bits)"
    entropy = [trial.entropy for trial in trials]
    accuracy = Series("accuracy", [100 * trial.accuracy for trial in trials])
    settings = [
        Series("gamma", [trial.gamma for trial in trials]),
        Series("N", [trial.bins for trial in trials]),
    ]
    charts = [
        point_chart("Accuracy (%)", name, entropy, [accuracy]),
        point_chart("gamma and N", name, entropy, settings),
    ]
    return [chart for chart in charts if chart is not None]
