/* A host that uses the toolkit's own NCCL without a GPU: an id, a communicator that cannot be made, a collective that
 * fails. Exit code 77 where there is no libnccl. */
#include <dlfcn.h>
#include <nccl.h>
#include <stdio.h>

int main(void) {
  void* library = dlopen("libnccl.so.2", RTLD_NOW);
  if (library == NULL) return 77;
  ncclResult_t (*get_unique_id)(ncclUniqueId*) = NULL;
  ncclResult_t (*init_rank)(ncclComm_t*, int, ncclUniqueId, int) = NULL;
  ncclResult_t (*all_reduce)(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t) = NULL;
  *(void**)&get_unique_id = dlsym(library, "ncclGetUniqueId");
  *(void**)&init_rank = dlsym(library, "ncclCommInitRank");
  *(void**)&all_reduce = dlsym(library, "ncclAllReduce");
  ncclUniqueId id;
  ncclComm_t communicator = NULL;
  char data[64];
  get_unique_id(&id);
  const int made = init_rank(&communicator, 1, id, 0) == ncclSuccess;
  const int reduced = all_reduce(data, data, 16, ncclFloat, ncclSum, communicator, NULL) == ncclSuccess;
  printf("communicator %s, all-reduce %s\n", made ? "made" : "refused", reduced ? "done" : "refused");
  return 0;
}
