// A source that is wrong on purpose: the third line names what is not there.
__global__ void wrong(float* x) {
    x[0] = nowhere;
    x[1] = nobody;
}
