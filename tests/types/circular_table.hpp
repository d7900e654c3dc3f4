// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
/// \file
/// Sines, cosines and tangents of float64 from mpmath in 1400 bits, each as the nearest float64 and what remains. Behind the first
/// numbers are those of 53 bits that come within 2^-59 of a multiple of pi / 2, found by continued fractions.

namespace circular {

struct Value {
  double high, low;
};
struct Line {
  double x;
  Value sin, cos, tan;
};

inline constexpr Line table[] = {
    {0x1.6ac5b262ca1ffp+849, {0x1p+0, -0x1.2b089ea1e692bp-123}, {-0x1.14ae72e6ba22fp-61, 0x1.73eef1477d90ep-118}, {-0x1.d9ba9a7975636p+60, 0x1.714cf36c65449p+6}},
    {0x1.fffffffffffffp+1023, {0x1.452fc98b34e97p-8, -0x1.27bb193d960dfp-62}, {-0x1.fffe62ecfab75p-1, -0x1.e038d934070f1p-56}, {-0x1.4530cfe729484p-8, 0x1.1c97823bf87a5p-62}},
    {0x1p+1023, {0x1.205248cbdb76p-1, -0x1.a5a336baf7435p-57}, {-0x1.a719f26c232bfp-1, 0x1.7a77829eb1138p-55}, {-0x1.5ce6b4c0d02a3p-1, -0x1.4efc20fe21559p-55}},
    {0x1p+1000, {-0x1.460b8ae1c886ep-3, -0x1.3647ed24e6b8dp-57}, {0x1.f9785160c8815p-1, 0x1.78c8c8e960e93p-57}, {-0x1.4a41d560c08ccp-3, 0x1.a0f1acff7f64ep-59}},
    {0x1.7e43c8800759cp+996, {-0x1.a2c16b010e385p-1, -0x1.b900a1f54ecd2p-55}, {-0x1.2699022adc4c1p-1, 0x1.edd5594b5c574p-56}, {0x1.6be411f37ac77p+0, -0x1.5a67ce3109efbp-54}},
    {0x1.0f0cf064dd592p+73, {-0x1.b453ab76bf397p-1, -0x1.f453790772648p-58}, {0x1.0be2cef01c8f4p-1, -0x1.b2d1bc8018c4fp-55}, {-0x1.a0f79c1b6b257p+0, -0x1.d27810f5737ddp-54}},
    {0x1.1ccf385ebc8ap+1023, {0x1.d0472b6b4d936p-2, 0x1.720bb33650e53p-56}, {-0x1.c859a523ff229p-1, 0x1.a45df05fd0687p-55}, {-0x1.047282056e683p-1, 0x1.98b0fc2a5a6bfp-55}},
    {0x1p+25, {-0x1.f3fa130939bafp-1, -0x1.ffa7ffcf6cc6p-55}, {-0x1.b9381aa1f0792p-3, -0x1.dd2083439de1bp-61}, {0x1.221782723da78p+2, -0x1.0af3c5a792059p-56}},
    {0x1.8p+25, {-0x1.c650951a6487cp-2, 0x1.37f094d38c80ep-56}, {-0x1.cad9a7cb8c498p-1, 0x1.4507525d92e86p-57}, {0x1.faf06fdc40ccap-2, 0x1.62b3d730f489ap-56}},
    {0x1.8000000000001p+25, {-0x1.c650958d1af1bp-2, 0x1.625447882da0ep-56}, {-0x1.cad9a7af27403p-1, 0x1.a040c764f054p-55}, {0x1.faf0707b9fa79p-2, -0x1.ce1cb9c48e64ap-60}},
    {0x1p+26, {0x1.aedbaec15d29dp-2, 0x1.3a0b11837cec4p-59}, {-0x1.d078da7f267ep-1, -0x1.6eef03c7d842fp-56}, {-0x1.daf24a3ebba2p-2, -0x1.c35a58492e083p-56}},
    {0x1p+53, {-0x1.b2a66c8f35586p-1, -0x1.bdca662b97498p-57}, {-0x1.0e9918bb35aacp-1, -0x1.46928231baf44p-55}, {0x1.9b33af5ae241fp+0, 0x1.7540f37e541e2p-58}},
    {0x1.0000000000001p+54, {-0x1.02951a98029a7p-2, -0x1.a324f28927902p-56}, {0x1.ef681c53e159cp-1, -0x1.1c03fc01325a7p-56}, {-0x1.0b3e54f7c997p-2, 0x1.f3485a970b39ep-56}},
    {0x1p+64, {0x1.82a353118793dp-6, 0x1.2ed1d1a229e36p-61}, {-0x1.ffdb7fa3fe34dp-1, -0x1.3cc7fefd25be6p-55}, {-0x1.82bee572e2ac9p-6, 0x1.c494b7b1cca6cp-61}},
    {0x1p+120, {0x1.82e34655e6fcbp-2, 0x1.b5e5f1aa933f3p-56}, {-0x1.da0cd0b66d8cep-1, 0x1.d98651f704d74p-55}, {-0x1.a1dc27cab0816p-2, 0x1.25a6562eac2e2p-60}},
    {0x1.921fb54442d18p+0, {0x1p+0, -0x1.377ce858a5d48p-109}, {0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110}, {0x1.d02967c31cdb5p+53, -0x1.f3c72fe49aa2ap-3}},
    {0x1.921fb54442d18p+1, {0x1.1a62633145c07p-53, -0x1.f1976b7ed8fbdp-109}, {-0x1p+0, 0x1.377ce858a5d48p-107}, {-0x1.1a62633145c07p-53, 0x1.f1976b7ed8fbap-109}},
    {0x1.921fb54442d18p+2, {-0x1.1a62633145c07p-52, 0x1.f1976b7ed8fbfp-108}, {0x1p+0, -0x1.377ce858a5d48p-105}, {-0x1.1a62633145c07p-52, 0x1.f1976b7ed8fb5p-108}},
    {0x1.2d97c7f3321d2p+2, {-0x1p+0, 0x1.5e6c8563ba8f1p-106}, {-0x1.a79394c9e8a0ap-53, -0x1.456737b06ea19p-107}, {0x1.3570efd768923p+52, 0x1.0209780490e4dp-2}},
    {0x1p+0, {0x1.aed548f090ceep-1, 0x1.06374f484e288p-59}, {0x1.14a280fb5068cp-1, -0x1.b71edcc9344bcp-55}, {0x1.8eb245cbee3a6p+0, -0x1.1d4ce0afb373bp-54}},
    {0x1p-1, {0x1.eaee8744b05fp-2, -0x1.789b43c9b027dp-58}, {0x1.c1528065b7d5p-1, -0x1.892111312e828p-55}, {0x1.17b4f5bf3474ap-1, 0x1.0c5e59201e209p-55}},
    {0x1.921fb54442d18p-1, {0x1.6a09e667f3bccp-1, 0x1.7a7fb8d4bd43fp-55}, {0x1.6a09e667f3bcdp-1, -0x1.ec4c7696139d5p-56}, {0x1.fffffffffffffp-1, 0x1.cb3b399d747f3p-55}},
    {0x1.2d97c7f3321d2p+1, {0x1.6a09e667f3bcdp-1, 0x1.3267a12a5e3d6p-56}, {-0x1.6a09e667f3bccp-1, 0x1.4da530b7ba971p-59}, {-0x1.0000000000001p+0, 0x1.61b1acd85d7d4p-55}},
    {0x1.9p+6, {-0x1.03425b78c4db8p-1, -0x1.c23d8557420fbp-59}, {0x1.b981dbf665fdfp-1, 0x1.8fd0cdcd985e8p-55}, {-0x1.2ca74d62b5d38p-1, 0x1.41bccbb510deep-55}},
    {0x1p-30, {0x1p-30, -0x1.5555555555555p-93}, {0x1p+0, -0x1p-61}, {0x1p-30, 0x1.5555555555555p-92}},
    {0x1p-1022, {0x1p-1022, 0x0p+0}, {0x1p+0, 0x0p+0}, {0x1p-1022, 0x0p+0}},
    {0x0.0000000000003p-1022, {0x0.0000000000003p-1022, 0x0p+0}, {0x1p+0, 0x0p+0}, {0x0.0000000000003p-1022, 0x0p+0}},
    {0x1.6c6cbc45dc8dep+5, {0x1p+0, -0x1.04bfe27f01e31p-122}, {-0x1.6d61b58c99c43p-61, 0x1.d8d2a16b7bd6ep-118}, {-0x1.66b9ebc4850c6p+60, -0x1.b1cb5fca6e9dfp+6}},
    {0x1.b951f1572eba5p+23, {-0x1p+0, 0x1.ead7c8117d252p-120}, {-0x1.f54f5227a4e84p-60, 0x1.01b19345a7a1cp-118}, {0x1.057584c429b3ap+59, 0x1.ba829972bfe62p+5}},
    {0x1.6ac5b262ca1ffp+849, {0x1p+0, -0x1.2b089ea1e692bp-123}, {-0x1.14ae72e6ba22fp-61, 0x1.73eef1477d90ep-118}, {-0x1.d9ba9a7975636p+60, 0x1.714cf36c65449p+6}},
    {0x1.6ac5b262ca1ffp+850, {-0x1.14ae72e6ba22fp-60, 0x1.73eef1477d90ep-117}, {-0x1p+0, 0x1.2b089ea1e692bp-121}, {0x1.14ae72e6ba22fp-60, -0x1.73eef1477d90ep-117}},
};

}  // namespace circular
