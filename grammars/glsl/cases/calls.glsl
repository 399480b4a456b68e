float twice(float a) { return a + a; }
void show(float text) { gl_Position.x = text; }
void main() {
    float count = 1.0;
    float total = twice(count);
    show(total);
    total = count;
    show(total);
}
