#include "text.h"
#include "sum.h"

int main(void)
{
    return print("checksum", checksum(7));
}
