#include "answer/net/net_lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lock_net(void)
{
	pthread_mutex_lock(&lock);
}

void unlock_net(void)
{
	pthread_mutex_unlock(&lock);
}
