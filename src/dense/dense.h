// Eigen's dense matrices. Its decompositions and products of double are compiled once, in this
// room: every file that compiles them for itself takes seconds, with singular values half a minute.
//
// Include this instead of <Eigen/Dense>. What is not listed is compiled where it is used, as
// everywhere.
#pragma once

#include <Eigen/Dense>

namespace ananke::dense {

using Columns = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>;
using Rows = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>;
using Sums = Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>;
using Traits = Eigen::internal::gebp_traits<double, double>;

}  // namespace ananke::dense

namespace Eigen {

extern template class LLT<MatrixXd>;
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template class LDLT<MatrixXd>;
extern template LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template class PartialPivLU<MatrixXd>;
extern template class FullPivLU<MatrixXd>;
extern template class HouseholderQR<MatrixXd>;
extern template class ColPivHouseholderQR<MatrixXd>;
extern template class JacobiSVD<MatrixXd>;
extern template class BDCSVD<MatrixXd>;
extern template class SelfAdjointEigenSolver<MatrixXd>;
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);

namespace internal {

// A x for rows and for columns, x contiguous or not.
extern template struct general_matrix_vector_product<Index, double, ananke::dense::Columns,
                                                     ColMajor, false, double,
                                                     ananke::dense::Columns, false, 0>;
extern template struct general_matrix_vector_product<
    Index, double, ananke::dense::Columns, ColMajor, false, double, ananke::dense::Rows, false, 0>;
extern template struct general_matrix_vector_product<
    Index, double, ananke::dense::Columns, ColMajor, false, double, ananke::dense::Rows, false, 1>;
extern template struct general_matrix_vector_product<
    Index, double, ananke::dense::Rows, RowMajor, false, double, ananke::dense::Columns, false, 0>;
extern template struct general_matrix_vector_product<Index, double, ananke::dense::Rows, RowMajor,
                                                     false, double, ananke::dense::Rows, false, 1>;
// A B by blocks, and with a triangular matrix on the left.
extern template void evaluateProductBlockingSizesHeuristic<double, double, 1, Index>(Index&, Index&,
                                                                                     Index&, Index);
extern template void evaluateProductBlockingSizesHeuristic<double, double, 4, Index>(Index&, Index&,
                                                                                     Index&, Index);
extern template struct general_matrix_matrix_product<Index, double, ColMajor, false, double,
                                                     ColMajor, false, ColMajor, 1>;
extern template struct general_matrix_matrix_product<Index, double, ColMajor, false, double,
                                                     RowMajor, false, ColMajor, 1>;
extern template struct general_matrix_matrix_product<Index, double, RowMajor, false, double,
                                                     ColMajor, false, ColMajor, 1>;
extern template struct general_matrix_matrix_product<Index, double, RowMajor, false, double,
                                                     RowMajor, false, ColMajor, 1>;
extern template struct product_triangular_matrix_matrix<double, Index, Lower, true, ColMajor, false,
                                                        ColMajor, false, ColMajor, 1>;
extern template struct product_triangular_matrix_matrix<double, Index, Upper, true, RowMajor, false,
                                                        ColMajor, false, ColMajor, 1>;
extern template struct product_triangular_matrix_matrix<double, Index, UnitLower, true, ColMajor,
                                                        false, ColMajor, false, ColMajor, 1>;
extern template struct product_triangular_matrix_matrix<double, Index, UnitUpper, true, RowMajor,
                                                        false, ColMajor, false, ColMajor, 1>;
extern template struct triangular_solve_matrix<double, Index, OnTheRight, Upper, false, RowMajor,
                                               ColMajor, 1>;
extern template struct gemm_pack_lhs<double, Index, ananke::dense::Columns,
                                     ananke::dense::Traits::mr, ananke::dense::Traits::LhsProgress,
                                     ananke::dense::Traits::LhsPacket4Packing, ColMajor, false,
                                     false>;
extern template struct gemm_pack_lhs<double, Index, ananke::dense::Rows, ananke::dense::Traits::mr,
                                     ananke::dense::Traits::LhsProgress,
                                     ananke::dense::Traits::LhsPacket4Packing, RowMajor, false,
                                     false>;
extern template struct gemm_pack_rhs<double, Index, ananke::dense::Columns,
                                     ananke::dense::Traits::nr, ColMajor, false, false>;
extern template struct gemm_pack_rhs<double, Index, ananke::dense::Rows, ananke::dense::Traits::nr,
                                     RowMajor, false, false>;
extern template struct gebp_kernel<double, double, Index, ananke::dense::Sums,
                                   ananke::dense::Traits::mr, ananke::dense::Traits::nr, false,
                                   false>;

// Reflections of QR decompositions, and eigenvalues of symmetric matrices.
extern template void make_block_householder_triangular_factor(
    Matrix<double, Dynamic, Dynamic, RowMajor>&, const Block<MatrixXd>&,
    const VectorBlock<const VectorXd>&);
extern template void apply_block_householder_on_the_left(Block<MatrixXd>&, const Block<MatrixXd>&,
                                                         const VectorBlock<const VectorXd>&, bool);
extern template void tridiagonalization_inplace(MatrixXd&, VectorXd&);
extern template ComputationInfo computeFromTridiagonal_impl(VectorXd&, VectorXd&, Index, bool,
                                                            MatrixXd&);

}  // namespace internal

extern template class HouseholderSequence<MatrixXd, VectorXd, OnTheLeft>;
extern template void HouseholderSequence<MatrixXd, VectorXd, OnTheLeft>::evalTo(MatrixXd&,
                                                                                VectorXd&) const;

}  // namespace Eigen
