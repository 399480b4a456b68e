contract A {
    function twice(uint a) internal returns (uint) { return a + a; }
    function show(uint text) internal { emit B(text); }
    event B(uint);
    function f() public {
        uint count = 1;
        uint total = twice(count);
        show(total);
        total = count;
        show(total);
    }
}
