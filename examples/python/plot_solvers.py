# SPDX-License-Identifier: MIT
"""One step, many solvers: residual by iteration, as a plot. Usage: plot_solvers.py [PICTURE]"""
import sys

import cairn

SOLVERS = ("gauss_seidel", "nesterov", "anderson", "nncg")


def curves(scene="pyramid_10", steps=20, iterations=200):
    """Residuals by solver, on the problem of one step."""
    scene = cairn.scene(scene)
    for _ in range(steps):
        scene.world.step(scene.dt)
    problem = scene.world.problem()
    result = {}
    for solver in SOLVERS:
        report = cairn.solve(problem, solver, tolerance=1e-12, iterations=iterations, history=True).report
        result[solver] = [(point.iteration, point.residual) for point in report.history]
    return problem, result


def main(picture="solvers.png"):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    problem, result = curves()
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for solver, points in result.items():
        axes.semilogy([i for i, _ in points], [max(r, 1e-16) for _, r in points], label=solver)
    axes.set(xlabel="iterations", ylabel="residual", title=f"one step of pyramid_10, {problem.contact_count} contacts")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
