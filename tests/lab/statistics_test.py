"""The laboratory's statistics against NumPy, SciPy and scikit-learn, on the same tables."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import summand_testing
from scipy import linalg, stats
from sklearn.decomposition import PCA
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.isotonic import isotonic_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.manifold import TSNE, trustworthiness

ROUNDING = 1e-10  # both sides sum a few thousand doubles
SQUARES = 1e-8  # ours reads components from a Gram matrix, theirs from the table: half of the digits, and to spare
ANGLES = 1e-9  # mpmath gives ours to 1e-16 for the planted angle of 7e-7, where SciPy is off by 8e-11
FITTED = 1e-7  # ours stops at a gradient of 1e-10; curvature, 1e-2 and more, turns that into weights
BISECTED = 1e-4  # scikit-learn ends its search for a row's perplexity at 1e-5 of its logarithm
FLOAT = 1e-5  # trees: sums of 60 leaves in float, and residuals rounded to 1e-6 of the largest

results = []


def check(name, ours, theirs, tolerance):
    """|ours − theirs| within the tolerance times the largest of theirs (1 at least)."""
    ours, theirs = np.squeeze(ours), np.squeeze(np.asarray(theirs, dtype=np.float64))
    assert ours.shape == theirs.shape, f"{name}: shapes {ours.shape} and {theirs.shape}"
    assert np.isfinite(theirs).all() and np.abs(theirs).max() > 0, f"{name}: the reference says nothing"
    error = np.abs(ours - theirs).max() / max(1, np.abs(theirs).max())
    results.append(bool(error <= tolerance))
    print(f"{'ok  ' if results[-1] else 'FAIL'} {name}: {error:.2g}, allowed {tolerance:.2g}")


def claim(name, holds, words):
    results.append(bool(holds))
    print(f"{'ok  ' if holds else 'FAIL'} {name}: {words}")


def save(table, path):
    table = np.atleast_2d(np.asarray(table, dtype=np.float64).T).T
    path.write_text(f"{table.shape[0]} {table.shape[1]}\n" + "\n".join(f"{value:.17g}" for value in table.ravel()))


def load(path):
    lines = path.read_text().split()
    return np.array(lines[2:], dtype=np.float64).reshape(int(lines[0]), int(lines[1]))


def step_and_product(x, noise):
    return 3 * (x[:, 0] > 0.5) + x[:, 1] * np.sign(x[:, 2]) + 0.1 * noise


def inputs(random):
    """Every table that the probe reads."""
    tables = {
        "tall": random.standard_normal((300, 12)) * np.linspace(2, 0.5, 12) + 0.1,
        "wide": random.standard_normal((40, 90)) * np.linspace(3, 0.2, 90) + 1,
        "other": random.standard_normal((300, 20)),
        "wide_other": random.standard_normal((40, 50)),
        "targets": random.standard_normal((300, 3)),
        "wide_targets": random.standard_normal((40, 2)),
        "ties": random.integers(0, 9, (201, 2)),
        "span_a": random.standard_normal((4, 30)),
        "turn_from": random.standard_normal((50, 7)),
        "cloud": random.standard_normal((150, 6)) + 6 * np.eye(6)[np.arange(150) % 3],
        "cloud_embedding": random.standard_normal((150, 2)),
        "boosting_inputs": random.standard_normal((1500, 6)).astype(np.float32),
        "boosting_held_out": random.standard_normal((500, 6)).astype(np.float32),
    }
    # One direction is shared, one is all but shared: angles from 1e-6 to near a right one.
    tables["span_b"] = random.standard_normal((5, 30))
    tables["span_b"][0] = tables["span_a"][0] + 1e-6 * random.standard_normal(30)
    tables["span_b"][1] = tables["span_a"][1] + 0.1 * random.standard_normal(30)
    tables["other"] += tables["tall"] @ random.standard_normal((12, 20))
    tables["wide_other"] += 0.3 * tables["wide"][:, :50]
    turn = linalg.qr(random.standard_normal((7, 7)))[0]
    tables["turn_to"] = tables["turn_from"] @ turn + 0.3 * random.standard_normal((50, 7))
    tables["boosting_targets"] = step_and_product(tables["boosting_inputs"], random.standard_normal(1500))
    for classes in (2, 4):
        logits = tables["tall"] @ random.standard_normal((12, classes)) + random.gumbel(size=(300, classes))
        tables[f"logistic{classes}"] = logits.argmax(1)
    # Below the margin, about it and beyond it.
    tables["paired"] = 0.4 * random.standard_normal((7, 5)) + [-1, -0.5, 0, 0.3, 0.9]
    tables["trend"] = np.c_[np.linspace(0, 4, 200) + random.standard_normal(200), random.uniform(0.1, 2, 200)]
    return tables


def compare_numbers(x, ours, tables):
    values = x.ravel()
    check("moments", ours["moments"], [values.mean(), values.std(), stats.kurtosis(values, fisher=False),
          np.quantile(values, 0.123), (np.abs(values) > 1.5).mean()], ROUNDING)  # fmt: skip
    law = stats.truncnorm(-2, 2, scale=1.3)
    check("truncated normal", ours["truncated"],
          [law.std(), float(law.stats("k")) + 3, law.cdf(0.7), law.pdf(0.7)], ROUNDING)  # fmt: skip
    against = [stats.ks_1samp(values, cdf, method="asymp") for cdf in (stats.norm.cdf, law.cdf)]
    check("Kolmogorov-Smirnov", ours["ks"], [n for a in against for n in (a.statistic, a.pvalue)], ROUNDING)
    a, b = tables["ties"].T
    check("Kendall's tau with ties", ours["kendall"], stats.kendalltau(a, b).statistic, ROUNDING)
    amplitudes = np.abs(np.fft.rfft(a)) / len(a)
    values, weights = tables["trend"].T
    rising = isotonic_regression(values, sample_weight=weights)
    check("isotonic regression", ours["isotonic"], np.c_[rising, -rising], ROUNDING)
    check("amplitudes", ours["spectrum"], amplitudes * np.r_[1, np.full(len(amplitudes) - 1, 2)], ROUNDING)


def compare_paired(ours, tables):
    """One-sided t-tests about 0.3, two of them about ±0.5, and intervals."""
    for row, values in zip(ours["paired"], tables["paired"].T, strict=True):
        test = lambda bound, side: stats.ttest_1samp(values, bound, alternative=side)  # noqa: B023, E731
        intervals = [end for level in (0.95, 0.9) for end in test(0, "two-sided").confidence_interval(level)]
        outside = max(test(-0.5, "greater").pvalue, test(0.5, "less").pvalue)
        check(f"paired differences about {values.mean():+.1f}", row,
              [values.mean(), values.std(ddof=1), *intervals, test(0.3, "greater").pvalue, test(0.3, "less").pvalue, outside], ROUNDING)  # fmt: skip


def compare_geometry(x, ours, tables):
    for name in ("tall", "wide"):
        theirs = PCA(5, svd_solver="full").fit(tables[name])
        loadings = theirs.components_
        signs = np.sign(loadings[np.arange(5), np.abs(loadings).argmax(1)])
        check(f"PCA {name}, shares", ours[f"{name}_shares"], theirs.explained_variance_ratio_, SQUARES)
        check(f"PCA {name}, variances", ours[f"{name}_variances"], theirs.explained_variance_, SQUARES)
        check(f"PCA {name}, loadings", ours[f"{name}_loadings"], loadings * signs[:, None], SQUARES)
        check(f"PCA {name}, scores", ours[f"{name}_scores"], theirs.transform(tables[name]) * signs, SQUARES)
    angles = np.sort(linalg.subspace_angles(tables["span_a"].T, tables["span_b"].T))
    assert angles[0] < 1e-5 and angles[-1] > 1, "planted angles: a tiny one and a wide one"
    check("principal angles", ours["angles"], angles, ANGLES)
    check("Procrustes", ours["procrustes"],
          linalg.orthogonal_procrustes(tables["turn_from"], tables["turn_to"])[0], ROUNDING)  # fmt: skip
    pairs = [(x, tables["other"]), (tables["wide"], tables["wide_other"])]
    check("linear CKA", ours["cka"], [cka(*pair) for pair in pairs], ROUNDING)
    check("trustworthiness", ours["trustworthiness"], trustworthiness(x, x[:, :2], n_neighbors=9), ROUNDING)


def cka(a, b):
    """By the centring matrix and Gram matrices: Kornblith et al. 2019, equation 3."""
    centre = np.eye(len(a)) - 1 / len(a)
    hsic = lambda k, m: np.trace(k @ centre @ m @ centre)  # noqa: E731
    k, m = a @ a.T, b @ b.T
    return hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))


def compare_embedding(ours, tables):
    from sklearn.manifold import _t_sne as internals
    from scipy.spatial.distance import pdist, squareform

    x, y = tables["cloud"], tables["cloud_embedding"]
    joint = internals._joint_probabilities(squareform(pdist(x, "sqeuclidean")), 15, 0)
    check("t-SNE, joint probabilities", ours["joint"] * len(x), squareform(joint) * len(x), BISECTED)
    own = squareform(ours["joint"], checks=False)
    objective, gradient = internals._kl_divergence(y.ravel(), own, 1.0, len(x), 2)
    check("t-SNE, objective", ours["objective"], objective, ROUNDING)
    check("t-SNE, gradient", ours["gradient"] / np.abs(gradient).max(),
          gradient.reshape(-1, 2) / np.abs(gradient).max(), SQUARES)  # fmt: skip
    final, slope = internals._kl_divergence(ours["tsne"].ravel(), own, 1.0, len(x), 2)
    check("t-SNE, objective where it ends", ours["tsne_objective"], final, ROUNDING)
    shrunk = internals._kl_divergence(0.9 * ours["tsne"].ravel(), own, 1.0, len(x), 2)[1]
    # Clouds drift apart along a flat valley to the last: not zero, but small beside the slope of its wall.
    claim("t-SNE, the gradient vanishes where it ends", np.abs(slope).max() < 1e-2 * np.abs(shrunk).max(),
          f"{np.abs(slope).max():.2g}, and {np.abs(shrunk).max():.2g} at nine tenths")  # fmt: skip
    theirs = TSNE(2, perplexity=15, method="exact", init="pca", random_state=0).fit(x).kl_divergence_
    claim("t-SNE, as small as scikit-learn's", final <= 1.03 * theirs, f"{final:.4f} and {theirs:.4f}")


def compare_regression(x, ours, tables):
    for name, table, y in (("", x, tables["targets"]), ("_wide", tables["wide"], tables["wide_targets"])):
        model = LinearRegression().fit(table, y)
        check(f"ols{name}, weights", ours[f"ols{name}_weights"], model.coef_.T, ROUNDING)
        check(f"ols{name}, offset", ours[f"ols{name}_offset"], model.intercept_, ROUNDING)
    for classes in (2, 4):
        model = LogisticRegression(C=0.5, tol=1e-12, solver="newton-cholesky").fit(x, tables[f"logistic{classes}"])
        check(f"logistic, {classes} classes, weights", ours[f"logistic{classes}_weights"], model.coef_.T, FITTED)
        check(f"logistic, {classes} classes, probabilities", ours[f"logistic{classes}_probabilities"],
              model.predict_proba(x), FITTED)  # fmt: skip


def compare_boosting(ours, tables):
    reference = GradientBoostingRegressor(
        n_estimators=60, max_depth=4, learning_rate=0.1, min_samples_leaf=15
    )
    x = tables["boosting_inputs"]
    reference.fit(x, tables["boosting_targets"])
    theirs = reference.predict(tables["boosting_held_out"])
    truth = step_and_product(tables["boosting_held_out"], np.zeros(500))
    r2 = lambda predicted: 1 - np.mean((predicted.ravel() - truth) ** 2) / truth.var()  # noqa: E731
    claim("boosting, the reference learns", r2(theirs) > 0.9, f"R² {r2(theirs):.4f}")
    # A tie between two splits that rounding alone decides moves the few rows between them.
    errors = np.abs(ours["boosting_exact"].ravel() - theirs) / np.abs(theirs).max()
    claim("boosting, exact splits", (errors <= FLOAT).mean() >= 0.99,
          f"{(errors <= FLOAT).mean():.3f} of the predictions within {FLOAT:.0e}, largest error {errors.max():.2g}")  # fmt: skip
    gap = abs(r2(ours["boosting_histogram"]) - r2(theirs))
    claim("boosting, histograms", gap < 0.01, f"R² {gap:.4f} away")


def main():
    random = np.random.default_rng(20)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        tables = inputs(random)
        for name, table in tables.items():
            save(table, path / f"{name}.txt")
        subprocess.run([summand_testing.BIN / "statistics_probe", path], check=True)
        ours = {file.stem: load(file) for file in (path / "ours").glob("*.txt")}
    x = tables["tall"]
    compare_numbers(x, ours, tables)
    compare_paired(ours, tables)
    compare_geometry(x, ours, tables)
    compare_embedding(ours, tables)
    compare_regression(x, ours, tables)
    compare_boosting(ours, tables)
    print(f"{sum(results)} of {len(results)} comparisons hold")
    return 0 if all(results) and len(results) >= 39 else 1


if __name__ == "__main__":
    sys.exit(main())
