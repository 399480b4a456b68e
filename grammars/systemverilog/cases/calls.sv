module m;
  function int twice(int a); return a + a; endfunction
  initial begin
    int count = 1;
    int total = twice(count);
    total = count;
    $display(total);
  end
endmodule
