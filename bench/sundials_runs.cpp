#include "sundials_runs.h"

#include <algorithm>
#include <limits>
#include <memory>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace ananke::bench {
namespace {

constexpr long kMostSteps = 10'000'000;

template <class T, auto free>
struct Freed {
    void operator()(T* pointer) const { free(pointer); }
};

void free_context(SUNContext context) {
    SUNContext_Free(&context);
}
void free_cvode(void* memory) {
    CVodeFree(&memory);
}
void free_arkode(void* memory) {
    ERKStepFree(&memory);
}
void free_ida(void* memory) {
    IDAFree(&memory);
}

template <class Handle, auto free>
using Owned =
    std::unique_ptr<std::remove_pointer_t<Handle>, Freed<std::remove_pointer_t<Handle>, free>>;

using Context = Owned<SUNContext, free_context>;
using Vector = Owned<N_Vector, N_VDestroy>;
using LinearSolver = Owned<SUNLinearSolver, SUNLinSolFree>;
using NonlinearSolver = Owned<SUNNonlinearSolver, SUNNonlinSolFree>;
using DenseMatrix = Owned<SUNMatrix, SUNMatDestroy>;

void derivative(const HandWritten& hand, double t, const double* y, double* dydt) {
    std::copy(y + hand.n, y + 2 * hand.n, dydt);
    hand.acceleration(t, y, y + hand.n, dydt + hand.n);
}

int right_hand_side(double t, N_Vector y, N_Vector dydt, void* hand) {
    derivative(*static_cast<const HandWritten*>(hand), t, N_VGetArrayPointer(y),
               N_VGetArrayPointer(dydt));
    return 0;
}

int residual(double t, N_Vector y, N_Vector dydt, N_Vector r, void* hand) {
    derivative(*static_cast<const HandWritten*>(hand), t, N_VGetArrayPointer(y),
               N_VGetArrayPointer(r));
    N_VLinearSum(1.0, dydt, -1.0, r, r);
    return 0;
}

Context make_context() {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    return Context(context);
}

/// What every run needs: the state, and a dense linear solver of its size.
struct Setting {
    explicit Setting(const BenchModel& bench_model)
        : model(bench_model),
          size(2 * bench_model.hand->n),
          hand(const_cast<HandWritten*>(bench_model.hand)),
          context(make_context()),
          y(N_VNew_Serial(size, context.get())),
          matrix(SUNDenseMatrix(size, size, context.get())),
          linear(SUNLinSol_Dense(y.get(), matrix.get(), context.get())) {
        double* state = N_VGetArrayPointer(y.get());
        std::copy(model.start.q.begin(), model.start.q.end(), state);
        std::copy(model.start.v.begin(), model.start.v.end(), state + size / 2);
    }

    RunTime outcome(bool reached, long steps, long evaluations) const {
        RunTime run{.steps = static_cast<std::size_t>(steps),
                    .evaluations = static_cast<std::size_t>(evaluations),
                    .error = std::numeric_limits<double>::infinity()};
        if (reached) {
            const double* end = N_VGetArrayPointer(y.get());
            run.error = error_at_end(model, {end, end + size / 2}, {end + size / 2, end + size});
        }
        return run;
    }

    const BenchModel& model;
    sunindextype size;
    HandWritten* hand;
    Context context;
    Vector y;
    DenseMatrix matrix;
    LinearSolver linear;
};

RunTime run_cvode(Setting& at, int method, double tolerance) {
    const Owned<void*, free_cvode> owned(CVodeCreate(method, at.context.get()));
    void* cvode = owned.get();
    const NonlinearSolver fixed_point(SUNNonlinSol_FixedPoint(at.y.get(), 0, at.context.get()));
    bool ok = CVodeInit(cvode, right_hand_side, 0.0, at.y.get()) == CV_SUCCESS &&
              CVodeSStolerances(cvode, tolerance, 0.1 * tolerance) == CV_SUCCESS &&
              CVodeSetUserData(cvode, at.hand) == CV_SUCCESS &&
              CVodeSetMaxNumSteps(cvode, kMostSteps) == CV_SUCCESS &&
              CVodeSetStopTime(cvode, at.model.until) == CV_SUCCESS;
    ok = ok && (method == CV_ADAMS
                    ? CVodeSetNonlinearSolver(cvode, fixed_point.get()) == CV_SUCCESS
                    : CVodeSetLinearSolver(cvode, at.linear.get(), at.matrix.get()) == CV_SUCCESS);
    double t = 0.0;
    ok = ok && CVode(cvode, at.model.until, at.y.get(), &t, CV_NORMAL) >= 0;
    long steps = 0;
    long evaluations = 0;
    long for_jacobian = 0;
    CVodeGetNumSteps(cvode, &steps);
    CVodeGetNumRhsEvals(cvode, &evaluations);
    if (method == CV_BDF) {
        CVodeGetNumLinRhsEvals(cvode, &for_jacobian);
    }
    return at.outcome(ok, steps, evaluations + for_jacobian);
}

RunTime run_arkode(Setting& at, ARKODE_ERKTableID tableau, double tolerance) {
    const Owned<void*, free_arkode> owned(
        ERKStepCreate(right_hand_side, 0.0, at.y.get(), at.context.get()));
    void* arkode = owned.get();
    bool ok = ERKStepSetTableNum(arkode, tableau) == ARK_SUCCESS &&
              ERKStepSStolerances(arkode, tolerance, 0.1 * tolerance) == ARK_SUCCESS &&
              ERKStepSetUserData(arkode, at.hand) == ARK_SUCCESS &&
              ERKStepSetMaxNumSteps(arkode, kMostSteps) == ARK_SUCCESS &&
              ERKStepSetStopTime(arkode, at.model.until) == ARK_SUCCESS;
    double t = 0.0;
    ok = ok && ERKStepEvolve(arkode, at.model.until, at.y.get(), &t, ARK_NORMAL) >= 0;
    long steps = 0;
    long evaluations = 0;
    ERKStepGetNumSteps(arkode, &steps);
    ERKStepGetNumRhsEvals(arkode, &evaluations);
    return at.outcome(ok, steps, evaluations);
}

RunTime run_ida(Setting& at, double tolerance) {
    const Owned<void*, free_ida> owned(IDACreate(at.context.get()));
    void* ida = owned.get();
    const Vector slope(N_VClone(at.y.get()));
    right_hand_side(0.0, at.y.get(), slope.get(), at.hand);
    bool ok = IDAInit(ida, residual, 0.0, at.y.get(), slope.get()) == IDA_SUCCESS &&
              IDASStolerances(ida, tolerance, 0.1 * tolerance) == IDA_SUCCESS &&
              IDASetUserData(ida, at.hand) == IDA_SUCCESS &&
              IDASetMaxNumSteps(ida, kMostSteps) == IDA_SUCCESS &&
              IDASetLinearSolver(ida, at.linear.get(), at.matrix.get()) == IDA_SUCCESS &&
              IDASetStopTime(ida, at.model.until) == IDA_SUCCESS;
    double t = 0.0;
    ok = ok && IDASolve(ida, at.model.until, &t, at.y.get(), slope.get(), IDA_NORMAL) >= 0;
    long steps = 0;
    long evaluations = 0;
    long for_jacobian = 0;
    IDAGetNumSteps(ida, &steps);
    IDAGetNumResEvals(ida, &evaluations);
    IDAGetNumLinResEvals(ida, &for_jacobian);
    return at.outcome(ok, steps, evaluations + for_jacobian);
}

}  // namespace

std::string name_of(SundialsMethod method) {
    switch (method) {
        case SundialsMethod::kCvodeAdams:
            return "CVODE Adams";
        case SundialsMethod::kCvodeBdf:
            return "CVODE BDF";
        case SundialsMethod::kArkodeDormandPrince:
            return "ARKODE Dormand-Prince 5";
        case SundialsMethod::kArkodeFehlberg:
            return "ARKODE Fehlberg 8";
        case SundialsMethod::kIda:
            return "IDA";
    }
    return "";
}

std::string sundials_version() {
    return SUNDIALS_VERSION;
}

RunTime sundials_run(const BenchModel& model, SundialsMethod method, double tolerance) {
    Setting at(model);
    switch (method) {
        case SundialsMethod::kCvodeAdams:
            return run_cvode(at, CV_ADAMS, tolerance);
        case SundialsMethod::kCvodeBdf:
            return run_cvode(at, CV_BDF, tolerance);
        case SundialsMethod::kArkodeDormandPrince:
            return run_arkode(at, ARKODE_DORMAND_PRINCE_7_4_5, tolerance);
        case SundialsMethod::kArkodeFehlberg:
            return run_arkode(at, ARKODE_FEHLBERG_13_7_8, tolerance);
        case SundialsMethod::kIda:
            return run_ida(at, tolerance);
    }
    return {};
}

}  // namespace ananke::bench
