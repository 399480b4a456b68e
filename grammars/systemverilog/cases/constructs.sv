`timescale 1ns/1ps
`define WIDTH 8
package types; typedef enum logic [1:0] { IDLE, RUN = 2'b10 } state_t; typedef struct packed { logic [7:0] a; bit b; } pair_t; endpackage
import types::*;
module counter #(parameter int N = 4, parameter type T = logic) (input logic clk, rst_n, input T [N-1:0] d, output reg [N-1:0] q);
  localparam M = N * 2 + 1;
  wire [3:0] w; logic signed [7:0] mem [0:15]; state_t state, next; integer i;
  assign w = (d > 4'd3) ? ~d : {d[1:0], 2'b01};
  always_ff @(posedge clk or negedge rst_n) begin if (!rst_n) q <= '0; else begin q <= q + 1'b1; state <= next; end end
  always_comb begin next = state; case (state) IDLE: next = RUN; default: ; endcase end
  initial begin : init for (i = 0; i < 16; i = i + 1) mem[i] = 8'hFF; #10 $display("q=%0d", q); $finish; end
  genvar g;
  generate for (g = 0; g < 2; g = g + 1) begin : gen if (g == 0) sub #(.P(1)) u (.a(w[g]), .b(q[0]), .c()); end endgenerate
  function automatic [3:0] f(input [3:0] x); f = x ^ 4'ha; endfunction
  task t(input a, output b); begin b = a; @(posedge clk); end endtask
endmodule
module sub #(parameter P = 0) (input a, output b, inout c); and g1 (b, a, c); endmodule
interface bus (input clk); logic valid; modport master (output valid); endinterface
class item; rand int x; constraint c { x > 0; } function new(int a); x = a; endfunction endclass
