#version 450
#define N 4
layout(location = 0) in vec3 position;
layout(std140, binding = 1) uniform Block { mat4 view; float scale[N]; } block;
out vec4 color;
const float PI = 3.14;
struct Light { vec3 dir; float power; };
float f(in vec3 v, inout float x) { for (int i = 0; i < N; i++) { if (v.x > 1.0) { continue; } else { x += 1.0; } } return dot(v.xyz, v) * PI; }
void main() { float x = 1.0; while (x < 2.0) { x *= 2.0; break; } switch (int(x)) { case 1: discard; default: break; } color = vec4(f(position, x), block.scale[0], x > 1.0 ? 0.0 : 1.0, 1.0); }
