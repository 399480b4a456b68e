struct Light { @location(0) dir: vec3<f32>, power: f32, }
@group(0) @binding(0) var<uniform> light: Light;
fn f(v: vec3<f32>, x: ptr<function, f32>) -> f32 {
    var sum = 0.0;
    for (var i = 0; i < 4; i++) { if (v.x > 1.0) { continue; } else { sum += 1.0; } }
    loop { if (sum > 2.0) { break; } sum = sum * 2.0; }
    switch (i32(sum)) { case 1: { return 1.0; } default: { } }
    let arr = array<f32, 4>(1.0, 2.0, 3.0, 4.0);
    return dot(v, v) + arr[0];
}
@fragment
fn main(@builtin(position) p: vec4<f32>) -> @location(0) vec4<f32> { return vec4<f32>(1.0); }
