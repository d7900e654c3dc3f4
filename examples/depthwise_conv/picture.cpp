// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "depthwise_conv/picture.hpp"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

png_image empty_image() {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  return image;
}

}  // namespace

void Picture::paste(const Picture &other, std::int64_t top, std::int64_t left) {
  for (int plane = 0; plane < 3; ++plane)
    for (std::int64_t y = 0; y < other.height; ++y)
      for (std::int64_t x = 0; x < other.width; ++x) at(plane, top + y, left + x) = other.at(plane, y, x);
}

Picture read_png(const std::string &path) {
  png_image image = empty_image();
  if (!png_image_begin_read_from_file(&image, path.c_str())) throw std::runtime_error(path + ": " + image.message);
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) throw std::runtime_error(path + ": " + image.message);
  Picture picture(image.height, image.width);
  for (std::int64_t y = 0; y < picture.height; ++y)
    for (std::int64_t x = 0; x < picture.width; ++x)
      for (int plane = 0; plane < 3; ++plane)
        picture.at(plane, y, x) =
            static_cast<float>(pixels[static_cast<std::size_t>((y * picture.width + x) * 3 + plane)]) / 255.0f;
  return picture;
}

void write_png(const std::string &path, const Picture &picture) {
  png_image image = empty_image();
  image.height = static_cast<png_uint_32>(picture.height);
  image.width = static_cast<png_uint_32>(picture.width);
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> pixels(PNG_IMAGE_SIZE(image));
  for (std::int64_t y = 0; y < picture.height; ++y)
    for (std::int64_t x = 0; x < picture.width; ++x)
      for (int plane = 0; plane < 3; ++plane)
        pixels[static_cast<std::size_t>((y * picture.width + x) * 3 + plane)] =
            static_cast<png_byte>(std::lround(std::clamp(picture.at(plane, y, x), 0.0f, 1.0f) * 255.0f));
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr))
    throw std::runtime_error(path + ": " + image.message);
}
