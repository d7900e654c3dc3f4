// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Pictures as planes of floats from 0 to 1, read from and written to PNG.

#include <cstdint>
#include <string>
#include <vector>

/// Three planes (red, green, blue), row-major.
struct Picture {
  std::int64_t height = 0, width = 0;
  std::vector<float> planes;  ///< [3, height, width]

  /// Black.
  Picture(std::int64_t h, std::int64_t w) : height(h), width(w), planes(static_cast<std::size_t>(3 * h * w)) {}
  float &at(int plane, std::int64_t y, std::int64_t x) {
    return planes[static_cast<std::size_t>((plane * height + y) * width + x)];
  }
  float at(int plane, std::int64_t y, std::int64_t x) const {
    return planes[static_cast<std::size_t>((plane * height + y) * width + x)];
  }

  /// Copies `other` so that its upper left corner comes to (top, left).
  void paste(const Picture &other, std::int64_t top, std::int64_t left);
};

/// \throws std::runtime_error if the file cannot be read.
Picture read_png(const std::string &path);
/// Values are clamped to 0..1. \throws std::runtime_error if the file cannot be written.
void write_png(const std::string &path, const Picture &picture);
