/* A program full of words that must not get out: each is the content of the variable CANARY_<place>. It serves a request
 * through the llmserve vocabulary, says things in other NVTX domains, in payloads, categories and thread names, prints
 * "ready" and waits for a line before it ends. */
#define _GNU_SOURCE /* pthread_setname_np */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvtx3/nvToolsExtPayload.h"
#include "ranges.h"

static const char* Word(const char* place) {
  char name[64];
  snprintf(name, sizeof name, "CANARY_%s", place);
  const char* word = getenv(name);
  return word == NULL ? "absent" : word;
}

static void Say(nvtxDomainHandle_t domain, const char* format, const char* word) {
  char text[512];
  snprintf(text, sizeof text, format, word);
  const nvtxEventAttributes_t attributes = HostMessage(text);
  nvtxDomainMarkEx(domain, &attributes);
}

static void Serve(nvtxDomainHandle_t llmserve) {
  char text[512];
  snprintf(text, sizeof text, "req|req=%s,n_prompt=4,max_new=1,class=%s", Word("REQUEST"), Word("CLASS"));
  const nvtxEventAttributes_t request = HostMessage(text);
  const nvtxRangeId_t id = nvtxDomainRangeStartEx(llmserve, &request);
  Say(llmserve, "req.queued|req=%s", Word("REQUEST"));
  nvtxEventAttributes_t iter = HostMessage("iter|iter=1");
  nvtxDomainRangePushEx(llmserve, &iter);
  snprintf(text, sizeof text, "batch|iter=1,set=%s:4:p", Word("REQUEST"));
  const nvtxEventAttributes_t batch = HostMessage(text);
  nvtxDomainMarkEx(llmserve, &batch);
  nvtxDomainRangePop(llmserve);
  Say(llmserve, "req.token|req=%s,n=1,n_new=1,iter=1", Word("REQUEST"));
  Say(llmserve, "req.token|req=%s,n=prompt", Word("REQUEST")); /* does not parse */
  Say(NULL, "llmserve/req.token|prompt=%s", Word("PROMPT"));   /* nor does this */
  nvtxDomainRangeEnd(llmserve, id);
}

/* A payload of one text, and a field whose name is a secret too. */
static void SayInPayload(nvtxDomainHandle_t domain) {
  const nvtxPayloadSchemaEntry_t entries[] = {
      {0, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, Word("FIELD"), NULL, 0, 0, NULL, NULL}};
  nvtxPayloadSchemaAttr_t schema;
  memset(&schema, 0, sizeof schema);
  schema.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                     NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
  schema.name = Word("SCHEMA");
  schema.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
  schema.entries = entries;
  schema.numEntries = 1;
  schema.payloadStaticSize = sizeof(char*);
  const uint64_t number = nvtxPayloadSchemaRegister(domain, &schema);
  const char* said = Word("PAYLOAD");
  nvtxPayloadData_t data = {number, sizeof said, &said};
  nvtxEventAttributes_t attributes = HostMessage("with a payload");
  attributes.payloadType = NVTX_PAYLOAD_TYPE_EXT;
  attributes.reserved0 = 1;
  attributes.payload.ullValue = (uint64_t)(uintptr_t)&data;
  nvtxDomainMarkEx(domain, &attributes);
}

static pthread_barrier_t g_said;

static void* Thread(void* domain) {
  pthread_setname_np(pthread_self(), Word("THREAD"));
  Say((nvtxDomainHandle_t)domain, "%s", Word("NVTX"));
  pthread_barrier_wait(&g_said);
  pause(); /* its name is read while it lives */
  return NULL;
}

int main(void) {
  const nvtxDomainHandle_t llmserve = HostDomain(), domain = nvtxDomainCreateA(Word("DOMAIN"));
  Serve(llmserve);
  Say(NULL, "default %s", Word("NVTX"));
  Say(domain, "%s", Word("NVTX"));
  nvtxDomainNameCategoryA(domain, 3, Word("CATEGORY"));
  nvtxEventAttributes_t registered = HostMessage("");
  registered.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  registered.message.registered = nvtxDomainRegisterStringA(domain, Word("REGISTERED"));
  nvtxDomainMarkEx(domain, &registered);
  SayInPayload(domain);
  nvtxNameOsThreadA(1, Word("NAMED"));
  pthread_t thread;
  pthread_barrier_init(&g_said, NULL, 2);
  pthread_create(&thread, NULL, Thread, domain);
  pthread_barrier_wait(&g_said);
  printf("ready\n");
  fflush(stdout);
  char line[8];
  return fgets(line, sizeof line, stdin) == NULL;
}
