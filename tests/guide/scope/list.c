#include <stddef.h>
/* keep */ struct node { int value; struct node *next; }; /* end */
typedef struct node node;
static int unused(void) { return 1; }
static int sum_of_list(node *first)
{
    int total = 0;
    while (first != NULL) { total += first->value; first = first->next; }
    return total;
}
int main(void)
{
    node last = { 1717, NULL };
    node first = { 4, &last };
    return sum_of_list(&first);
}
