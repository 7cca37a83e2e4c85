# SPDX-License-Identifier: MIT
"""Solves one problem with one solver of Siconos; run by siconos_peer.cpp, which also explains the files.

Arguments: folder, solver, tolerance, iterations, seconds. Reads folder/problem, writes folder/answer."""
import os
import resource
import signal
import sys
import time

# One thread: our solvers are compared with theirs, not with the threads of a linear algebra library.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np
import scipy.sparse as sparse
import siconos.numerics as numerics

SOLVERS = {
    "NSGS": numerics.SICONOS_FRICTION_3D_NSGS,
    "PROX": numerics.SICONOS_FRICTION_3D_PROX,
    "NSN_AC": numerics.SICONOS_FRICTION_3D_NSN_AC,
    "ADMM": numerics.SICONOS_FRICTION_3D_ADMM,
}


def read_problem(path):
    with open(path, "rb") as file:
        contacts, blocks = (int(n) for n in np.fromfile(file, np.int64, 2))
        row_start = np.fromfile(file, np.int64, contacts + 1)
        column = np.fromfile(file, np.int32, blocks)
        values = np.fromfile(file, np.float64, 9 * blocks).reshape(blocks, 3, 3)
        q = np.fromfile(file, np.float64, 3 * contacts)
        friction = np.fromfile(file, np.float64, contacts)
    size = 3 * contacts
    w = sparse.bsr_matrix((values, column, row_start.astype(np.int32)), shape=(size, size))
    return w, q, friction


def in_storage_of(solver, w):
    """Gauss-Seidel works on blocks, the others factorise a sparse matrix."""
    if solver == "NSGS":
        return numerics.SBM_from_csparse(3, w.tocsr())[1]
    return w.tocsc()


def main():
    folder, solver = sys.argv[1:3]
    tolerance, iterations, seconds = float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    w, q, friction = read_problem(os.path.join(folder, "problem"))
    problem = numerics.FrictionContactProblem(3, in_storage_of(solver, w), q, friction)
    options = numerics.SolverOptions(SOLVERS[solver])
    options.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    options.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = iterations
    impulse, velocity = np.zeros(q.size), np.zeros(q.size)

    # Not caught, so that it ends compiled code too; the time of loading the library does not count.
    signal.setitimer(signal.ITIMER_REAL, seconds)
    start = time.perf_counter()
    info = numerics.fc3d_driver(problem, impulse, velocity, options)
    elapsed = time.perf_counter() - start
    signal.setitimer(signal.ITIMER_REAL, 0)

    done = options.iparam[numerics.SICONOS_IPARAM_ITER_DONE]
    with open(os.path.join(folder, "answer"), "wb") as file:
        np.array([info, done, elapsed], np.float64).tofile(file)
        impulse.tofile(file)
    sys.stdout.flush()
    os._exit(0)  # the answer is written: what the library does while it unloads is not of interest


main()
