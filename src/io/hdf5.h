// Results as an HDF5 file that is whole at every instant: open_hdf5(), declared where its users see
// it.
//
// The library's own writer cannot promise a file that opens after the process was killed (it marks
// files as open for writing, or changes several places in turn), so the format is written here:
//   - whatever changes meaning (sizes of all datasets, root of each index, end of file, ending)
//     lies in the first 4096 bytes and changes in one write within one page, which a signal cannot
//     split;
//   - all else is written before, where no reader looks yet: new blocks at the end of the file,
//     rows beyond the sizes, index entries beyond the count of their node.
#pragma once

#include "ananke/record.h"
#include "ananke/record.h"
