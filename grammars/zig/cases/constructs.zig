//! One of everything.
const std = @import("std");
pub const Shape = struct { x: u32 = 1, name: []const u8, pub fn area(self: *const Shape) f64 { return 1.5; } };
const E = enum { a, b };
const U = union(enum) { i: i32, f: f64 };
const Err = error{ Bad, Worse };
var global: ?*u8 = null;
extern fn abs(x: c_int) c_int;
pub fn main() !void {
    var list = [_]u8{ 1, 2, 3 };
    for (list, 0..) |v, i| { if (v > 2) continue; _ = i; }
    while (true) : (x += 1) { break; }
    const y = if (x == 1) 2 else 3;
    switch (y) { 1, 2 => {}, 3...5 => |v| foo(v), else => unreachable }
    const z = try foo(1) catch |err| return err;
    defer std.debug.print("x {}\n", .{z});
    const p = Shape{ .x = 1, .name = "n" };
    comptime { _ = p.name[0..1]; }
    return error.Bad;
}
test "t" { try std.testing.expect(true); }
