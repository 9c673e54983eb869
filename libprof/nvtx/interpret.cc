// The part of Collector that finds out what one event says: its text, its payload, the llmserve vocabulary.
#include <bit>
#include <cstring>

#include "nvtx/annotation_shape.h"
#include "nvtx/collector.h"
#include "nvtx/message.h"

namespace slowtoken::nvtx {

using base::Loss;
using record::AnnotationKind;
using record::PayloadType;

Collector::Meaning Collector::Interpret(uint32_t slot, const RecordView& view, AnnotationKind kind, Context& context) {
  fields_.count = 0;
  decoded_.count = decoded_.scratch_used = 0;
  decoded_.has_message = decoded_.has_category = decoded_.has_color = false;
  decoded_.schema_name = {};
  if (view.header.payload == PayloadForm::kExtended) DecodePieces(view, context);
  record::StringId* cached = nullptr;
  std::string_view text = TextOf(view, cached);
  if (decoded_.has_message) {
    text = decoded_.message;
    cached = nullptr;
  }
  bool spoke = false;
  char shape[160];
  Meaning meaning{.is_annotation = ReadAnnotation(view, text, kind, spoke, context),
                  .message = 0,
                  .category = decoded_.has_category ? decoded_.category : view.detail.category,
                  .color = decoded_.has_color ? decoded_.color : view.detail.color};
  if (meaning.is_annotation) {
    if (annotation_.name == record::AnnotationName::kIter) engine_ranges_.numbers().SawOwnIterations();
    return meaning;
  }
  if (!spoke && ReadByRule(slot, view, text, kind, context)) {
    meaning.is_annotation = meaning.by_rule = true;
    return meaning;
  }
  if (spoke) {
    // Only its shape is kept: the fields may hold a request's id, which never passes in the clear.
    context.losses.Add(Loss::kMalformedAnnotation);
    text = AnnotationShape(text, shape);
    cached = nullptr;
  }
  const bool clear = !spoke && IsClearDomain(view.header.domain);
  const bool at_end = view.header.op == Op::kPop || view.header.op == Op::kEnd;
  if (text.empty() && !at_end) text = decoded_.schema_name;
  meaning.message = spoke ? context.dictionary.InternText(text) : Intern(text, view.header.domain, cached, context);
  if (view.header.payload == PayloadForm::kExtended) {
    AddDecodedFields(clear, context);
  } else if (view.header.payload != PayloadForm::kNone) {
    AddPlainPayload(view);
  }
  return meaning;
}

bool Collector::ReadAnnotation(const RecordView& view, std::string_view text, AnnotationKind kind, bool& spoke,
                               Context& context) {
  if (view.header.op == Op::kPop || view.header.op == Op::kEnd) return false;  // what began decides
  const std::string_view of_schema = AnnotationNameOfSchema(decoded_.schema_name);
  const bool in_domain =
      view.header.domain != 0 && view.header.domain == names_->llmserve.load(std::memory_order_relaxed);
  const bool prefixed = view.header.domain == 0 && text.starts_with(kAnnotationPrefix);
  spoke = in_domain || prefixed || !of_schema.empty();
  if (!spoke) return false;
  annotation_ = {};
  if (!of_schema.empty()) {
    return builder_.FromPayload(of_schema, decoded_, kind, context.dictionary, context.out, annotation_);
  }
  if (view.header.truncated || view.text_cut) return false;  // a field may be missing or cut in half
  if (prefixed) text.remove_prefix(kAnnotationPrefix.size());
  return builder_.FromText(text, kind, context.dictionary, context.out, annotation_);
}

bool Collector::ReadByRule(uint32_t slot, const RecordView& view, std::string_view text, AnnotationKind kind,
                           Context& context) {
  const uint16_t domain = view.header.domain;
  const EngineRanges::Said said{.text = text,
                                .domain = domain,
                                .domain_name = domain == 0 ? std::string_view() : names_->domains.Text(domain),
                                .kind = kind,
                                .slot = slot,
                                .thread = slot_threads_[slot]};
  const bool at_end = view.header.op == Op::kPop || view.header.op == Op::kEnd;
  if (!engine_ranges_.May(said) || at_end || view.header.truncated || view.text_cut) return false;
  return engine_ranges_.Read(said, builder_, context, annotation_);
}

std::string_view Collector::TextOf(const RecordView& view, record::StringId*& cached) {
  if (view.header.form != TextForm::kRegistered) return view.text;
  if (view.header.text < string_ids_.size()) cached = &string_ids_[view.header.text];
  return names_->strings.Text(view.header.text);
}

// A registered string is looked up and hashed once, unless several domains use it.
record::StringId Collector::Intern(std::string_view text, uint16_t domain, record::StringId* cached, Context& context) {
  uint16_t* written_for =
      cached == nullptr ? nullptr : &string_domains_[static_cast<size_t>(cached - string_ids_.data())];
  if (cached != nullptr && *cached != 0 && *written_for == domain) return *cached;
  const std::string_view name = domain == 0 ? std::string_view() : names_->domains.Text(domain);
  const record::StringId id = context.dictionary.InternText(texts_.Written(text, texts_.IsClear(domain, name, text)));
  if (cached != nullptr) {
    *cached = id;
    *written_for = domain;
  }
  return id;
}

void Collector::DecodePieces(const RecordView& view, Context& context) {
  const DomainSchemas schemas{names_->schemas, view.header.domain};
  const PayloadContext how{.schemas = schemas.lookup(),
                           .registered =
                               [](const void* names, uint64_t handle) {
                                 const auto number = static_cast<uint32_t>(handle < UINT32_MAX ? handle : 0);
                                 return static_cast<const Names*>(names)->strings.Text(number);
                               },
                           .registered_context = names_};
  PieceReader pieces(view.payload);
  PayloadPiece header;
  PayloadBytes payload;
  while (pieces.Next(header, payload.bytes, payload.copies)) {
    payload.schema = header.schema;
    if (header.size == kNotCopied || !DecodePayload(payload, how, decoded_))
      context.losses.Add(Loss::kPayloadUndecoded);
  }
}

// Numbers stay as they are; names and texts are the program's.
void Collector::AddDecodedFields(bool clear, Context& context) {
  for (size_t i = 0; i < decoded_.count; ++i) {
    if (fields_.count == FieldList::kMax) return context.losses.Add(Loss::kPayloadUndecoded);
    const DecodedField& from = decoded_.fields[i];
    record::PayloadField& to = fields_.fields[fields_.count++];
    to = {
        .name = context.dictionary.InternText(texts_.Written(from.name, clear)), .type = from.type, .bits = from.bits};
    if (from.type == PayloadType::kText) to.bits = context.dictionary.InternText(texts_.Written(from.text, clear));
  }
}

namespace {

// nvToolsExt.h:657: the value lies in a union; the narrow types in its first bytes.
record::PayloadField PlainValue(PayloadForm form, uint64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  switch (form) {
    case PayloadForm::kSigned64:
      return {0, PayloadType::kInt, bits};
    case PayloadForm::kDouble:
      return {0, PayloadType::kDouble, bits};
    case PayloadForm::kUnsigned32:
      return {0, PayloadType::kUint, low};
    case PayloadForm::kSigned32:
      return {0, PayloadType::kInt, static_cast<uint64_t>(int64_t{static_cast<int32_t>(low)})};
    case PayloadForm::kFloat:
      return {0, PayloadType::kDouble, std::bit_cast<uint64_t>(double{std::bit_cast<float>(low)})};
    default:
      return {0, PayloadType::kUint, bits};
  }
}

}  // namespace

void Collector::AddPlainPayload(const RecordView& view) {
  uint64_t bits = 0;
  if (view.payload.size() < sizeof bits) return;
  memcpy(&bits, view.payload.data(), sizeof bits);
  fields_.fields[fields_.count++] = PlainValue(view.header.payload, bits);
}

}  // namespace slowtoken::nvtx
