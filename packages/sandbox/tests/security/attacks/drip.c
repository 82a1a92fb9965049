/* Output in 300 000 pieces of one byte. */
#include "attack.h"

int main(void) {
    for (int i = 0; i < 300000; i++) write(1, "x", 1);
    return 0;
}
