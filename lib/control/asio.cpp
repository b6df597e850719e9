// SPDX-License-Identifier: BSD-3-Clause
// The one translation unit that compiles Boost.Asio; everybody else sees declarations only (asio_dep sets the
// macro).
#include <boost/asio/impl/src.hpp>
