/* Preloaded into a program, it makes every flush take about a millisecond longer, as on a slower disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static void wait_a_little(void) {
    struct timespec one_ms = {0, 1000000};
    nanosleep(&one_ms, 0);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_a_little();
    return real(file);
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_a_little();
    return real(file);
}
