#include "io/tensor_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "io/pickle_input.hpp"
#include "io/pickle_opcodes.hpp"

namespace summand::io {

namespace {

/// The largest BERT's has 100 kB.
constexpr size_t kLongestPickle = size_t{16} << 20;
/// Each takes about a hundred bytes. The largest BERT's pickle has 12,000.
constexpr size_t kMostValues = size_t{1} << 19;
constexpr size_t kMostDimensions = 16;

/// The functions that a state dict's pickle calls.
enum class Function { ordered_dict, rebuild_tensor, rebuild_tensor_v2, rebuild_parameter };

enum class Kind {
  none,
  boolean,
  integer,
  real,
  text,
  tuple,
  list,
  dictionary,
  function,
  storage_type,
  storage,
  tensor
};

/// One value of the interpreter's stack. Larger objects are in lists, referred to by index.
struct Value {
  Kind kind = Kind::none;
  int64_t number = 0;          ///< an integer; an index of a list, a Function, a StorageType
  std::string_view text = {};  ///< of Kind::text
};

struct NamedFunction {
  std::string_view module;
  std::string_view name;
  Function function;
};
constexpr std::array kFunctions{
    NamedFunction{"collections", "OrderedDict", Function::ordered_dict},
    NamedFunction{"torch._utils", "_rebuild_tensor", Function::rebuild_tensor},
    NamedFunction{"torch._utils", "_rebuild_tensor_v2", Function::rebuild_tensor_v2},
    NamedFunction{"torch._utils", "_rebuild_parameter", Function::rebuild_parameter},
};

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::none:
      return "None";
    case Kind::boolean:
      return "a truth value";
    case Kind::integer:
      return "an integer";
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a string";
    case Kind::tuple:
      return "a tuple";
    case Kind::list:
      return "a list";
    case Kind::dictionary:
      return "a dictionary";
    case Kind::function:
      return "a function";
    case Kind::storage_type:
      return "a class of storages";
    case Kind::storage:
      return "a storage";
    case Kind::tensor:
      return "a tensor";
  }
  __builtin_unreachable();
}

class Interpreter {
 public:
  Interpreter(std::string_view pickle, std::string_view where) : input_(pickle, where) {}

  TensorPickle run() {
    while (true) {
      const auto code = input_.number<uint8_t>();
      if (code == static_cast<uint8_t>(Opcode::stop)) break;
      step(static_cast<Opcode>(code));
    }
    return result();
  }

 private:
  void step(Opcode code);
  bool step_constant(Opcode code);
  bool step_container(Opcode code);
  bool step_memo(Opcode code);

  void push(Value value) {
    count_value();
    stack_.push_back(value);
  }
  Value pop() {
    if (stack_.size() <= base()) input_.fail("expected a value on the stack, got none");
    const Value value = stack_.back();
    stack_.pop_back();
    return value;
  }
  Value& top() {
    if (stack_.size() <= base()) input_.fail("expected a value on the stack, got none");
    return stack_.back();
  }
  [[nodiscard]] size_t base() const { return marks_.empty() ? 0 : marks_.back(); }
  void count_value() {
    if (++values_ > kMostValues) input_.fail(fmt::format("expected at most {} values, got more", kMostValues));
  }

  std::vector<Value> pop_to_mark() {
    if (marks_.empty()) input_.fail("expected a mark on the stack, got none");
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Value> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  std::vector<Value> pop_some(size_t count) {
    std::vector<Value> items(count);
    while (count > 0) items[--count] = pop();
    return items;
  }
  void push_container(Kind kind, std::vector<Value> items = {}) {
    containers_.push_back(std::move(items));
    push({.kind = kind, .number = static_cast<int64_t>(containers_.size()) - 1});
  }
  void extend(Kind kind, const std::vector<Value>& items) {
    if (kind == Kind::dictionary && items.size() % 2 != 0) input_.fail("expected keys and values, got a key alone");
    auto& to = items_of(top(), kind);
    to.insert(to.end(), items.begin(), items.end());
  }
  std::vector<Value>& items_of(const Value& value, Kind kind) {
    require(value, kind);
    return containers_[static_cast<size_t>(value.number)];
  }
  const Value& require(const Value& value, Kind kind) const {
    if (value.kind != kind) input_.fail(fmt::format("expected {}, got {}", name_of(kind), name_of(value.kind)));
    return value;
  }
  uint64_t count_of(const Value& value) const {
    if (require(value, Kind::integer).number < 0) {
      input_.fail(fmt::format("expected a number of at least 0, got {}", value.number));
    }
    return static_cast<uint64_t>(value.number);
  }
  std::vector<uint64_t> counts_of(const Value& value) {
    const auto& items = items_of(value, Kind::tuple);
    if (items.size() > kMostDimensions) {
      input_.fail(fmt::format("expected a tensor of at most {} dimensions, got {}", kMostDimensions, items.size()));
    }
    std::vector<uint64_t> counts;
    for (const Value& item : items) counts.push_back(count_of(item));
    return counts;
  }

  void push_global(std::string_view module, std::string_view name);
  void push_storage();
  void call();
  Value rebuilt_tensor(const std::vector<Value>& arguments);
  void remember(uint64_t index) {
    count_value();
    memo_[index] = top();
  }
  void recall(uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) input_.fail(fmt::format("expected a value remembered as {}, got none", index));
    push(found->second);
  }
  int64_t long_integer(size_t bytes);
  TensorPickle result();

  PickleInput input_;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;  // sizes that the stack had
  std::vector<std::vector<Value>> containers_;
  std::vector<PickledStorage> storages_;
  std::vector<PickledTensor> tensors_;
  std::unordered_map<uint64_t, Value> memo_;
  size_t values_ = 0;
};

/// Little-endian, two's complement.
int64_t Interpreter::long_integer(size_t bytes) {
  if (bytes > sizeof(int64_t)) input_.fail(fmt::format("expected an integer of at most 8 bytes, got {}", bytes));
  const auto text = input_.text(bytes);
  uint64_t value = !text.empty() && (static_cast<uint8_t>(text.back()) & 0x80U) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = bytes; i-- > 0;) value = value << 8U | static_cast<uint8_t>(text[i]);
  return static_cast<int64_t>(value);
}

void Interpreter::push_global(std::string_view module, std::string_view name) {
  const auto* function =
      std::ranges::find_if(kFunctions, [&](const auto& known) { return known.module == module && known.name == name; });
  if (function != kFunctions.end()) {
    return push({.kind = Kind::function, .number = static_cast<int64_t>(function->function)});
  }
  if (const auto storage = storage_type_of_class(name); module == "torch" && storage) {
    return push({.kind = Kind::storage_type, .number = static_cast<int64_t>(*storage)});
  }
  input_.fail(fmt::format("'{}.{}' is not part of a dictionary of tensors, and no code of a pickle is run",
                          printable(module), printable(name)));
}

/// ("storage", class, key, device, elements)
void Interpreter::push_storage() {
  const auto items = items_of(pop(), Kind::tuple);
  if (items.size() != 5 || items[0].kind != Kind::text || items[0].text != "storage") {
    input_.fail("expected a reference to a storage, got another one");
  }
  storages_.push_back({.type = static_cast<StorageType>(require(items[1], Kind::storage_type).number),
                       .key = require(items[2], Kind::text).text,
                       .elements = count_of(items[4])});
  push({.kind = Kind::storage, .number = static_cast<int64_t>(storages_.size()) - 1});
}

Value Interpreter::rebuilt_tensor(const std::vector<Value>& arguments) {
  constexpr size_t kMetadata =
      6;  // index; torch writes it of tensors that are negated or conjugated when they are read
  if (arguments.size() < 4) input_.fail("expected a tensor's storage, offset, sizes and strides, got fewer");
  if (arguments.size() > kMetadata && arguments[kMetadata].kind != Kind::none) {
    input_.fail("expected tensors as their numbers stand in the file, got one that torch negates or conjugates first");
  }
  PickledTensor tensor{.name = {},
                       .storage = static_cast<size_t>(require(arguments[0], Kind::storage).number),
                       .offset = count_of(arguments[1]),
                       .sizes = counts_of(arguments[2]),
                       .strides = counts_of(arguments[3])};
  if (tensor.sizes.size() != tensor.strides.size()) {
    input_.fail(fmt::format("expected {} strides, got {}", tensor.sizes.size(), tensor.strides.size()));
  }
  tensors_.push_back(std::move(tensor));
  return {.kind = Kind::tensor, .number = static_cast<int64_t>(tensors_.size()) - 1};
}

void Interpreter::call() {
  const auto arguments = items_of(pop(), Kind::tuple);
  const auto function = static_cast<Function>(require(pop(), Kind::function).number);
  switch (function) {
    case Function::ordered_dict:
      if (!arguments.empty()) input_.fail("expected an empty OrderedDict, got one with arguments");
      return push_container(Kind::dictionary);
    case Function::rebuild_tensor:
    case Function::rebuild_tensor_v2:
      return push(rebuilt_tensor(arguments));
    case Function::rebuild_parameter:
      if (arguments.empty()) input_.fail("expected a parameter's tensor, got none");
      return push(require(arguments[0], Kind::tensor));
  }
  __builtin_unreachable();
}

bool Interpreter::step_constant(Opcode code) {
  const auto integer = [&](int64_t value) { push({.kind = Kind::integer, .number = value}); };
  const auto text = [&](std::string_view value) { push({.kind = Kind::text, .number = 0, .text = value}); };
  switch (code) {
    case Opcode::none:
      push({});
      return true;
    case Opcode::newtrue:
    case Opcode::newfalse:
      push({.kind = Kind::boolean});
      return true;
    case Opcode::binint:
      integer(input_.number<int32_t>());
      return true;
    case Opcode::binint1:
      integer(input_.number<uint8_t>());
      return true;
    case Opcode::binint2:
      integer(input_.number<uint16_t>());
      return true;
    case Opcode::long1:
      integer(long_integer(input_.number<uint8_t>()));
      return true;
    case Opcode::binfloat:
      static_cast<void>(input_.text(8));
      push({.kind = Kind::real});
      return true;
    case Opcode::binunicode:
    case Opcode::binstring:
      text(input_.text(input_.number<uint32_t>()));
      return true;
    case Opcode::short_binunicode:
    case Opcode::short_binstring:
      text(input_.text(input_.number<uint8_t>()));
      return true;
    default:
      return false;
  }
}

bool Interpreter::step_container(Opcode code) {
  switch (code) {
    case Opcode::mark:
      count_value();
      marks_.push_back(stack_.size());
      return true;
    case Opcode::empty_dict:
      push_container(Kind::dictionary);
      return true;
    case Opcode::empty_list:
      push_container(Kind::list);
      return true;
    case Opcode::empty_tuple:
      push_container(Kind::tuple);
      return true;
    case Opcode::tuple:
      push_container(Kind::tuple, pop_to_mark());
      return true;
    case Opcode::tuple1:
    case Opcode::tuple2:
    case Opcode::tuple3:
      push_container(Kind::tuple, pop_some(static_cast<size_t>(code) - static_cast<size_t>(Opcode::tuple1) + 1));
      return true;
    case Opcode::append:
      extend(Kind::list, pop_some(1));
      return true;
    case Opcode::appends:
      extend(Kind::list, pop_to_mark());
      return true;
    case Opcode::setitem:
      extend(Kind::dictionary, pop_some(2));
      return true;
    case Opcode::setitems:
      extend(Kind::dictionary, pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool Interpreter::step_memo(Opcode code) {
  switch (code) {
    case Opcode::binput:
      remember(input_.number<uint8_t>());
      return true;
    case Opcode::long_binput:
      remember(input_.number<uint32_t>());
      return true;
    case Opcode::memoize:
      remember(memo_.size());
      return true;
    case Opcode::binget:
      recall(input_.number<uint8_t>());
      return true;
    case Opcode::long_binget:
      recall(input_.number<uint32_t>());
      return true;
    default:
      return false;
  }
}

void Interpreter::step(Opcode code) {
  if (step_constant(code) || step_container(code) || step_memo(code)) return;
  switch (code) {
    case Opcode::proto:
      static_cast<void>(input_.text(1));
      return;
    case Opcode::frame:
      static_cast<void>(input_.text(8));
      return;
    case Opcode::global: {
      const auto module = input_.line();
      return push_global(module, input_.line());
    }
    case Opcode::stack_global: {
      const Value name = pop();
      const Value module = pop();
      return push_global(require(module, Kind::text).text, require(name, Kind::text).text);
    }
    case Opcode::binpersid:
      return push_storage();
    case Opcode::reduce:
      return call();
    case Opcode::build:  // of a state dict, the versions of its modules
      static_cast<void>(pop());
      static_cast<void>(items_of(top(), Kind::dictionary));
      return;
    default:
      input_.fail(fmt::format("opcode {} is not part of a dictionary of tensors, and no code of a pickle is run",
                              opcode_name(static_cast<uint8_t>(code))));
  }
}

TensorPickle Interpreter::result() {
  const Value whole = pop();
  if (whole.kind != Kind::dictionary) {
    input_.fail(fmt::format("expected a dictionary of tensors, got {}", name_of(whole.kind)));
  }
  const auto& items = items_of(whole, Kind::dictionary);
  std::map<std::string_view, size_t> place;
  TensorPickle pickle{.storages = std::move(storages_), .tensors = {}};
  for (size_t i = 0; i < items.size(); i += 2) {
    const auto name = require(items[i], Kind::text).text;
    if (items[i + 1].kind != Kind::tensor) {
      input_.fail(fmt::format("'{}': expected a tensor, got {}", printable(name), name_of(items[i + 1].kind)));
    }
    PickledTensor tensor = tensors_[static_cast<size_t>(items[i + 1].number)];
    tensor.name = name;
    const auto [at, is_new] = place.emplace(name, pickle.tensors.size());
    if (is_new) {
      pickle.tensors.push_back(std::move(tensor));
    } else {
      pickle.tensors[at->second] = std::move(tensor);
    }
  }
  return pickle;
}

}  // namespace

TensorPickle read_tensor_pickle(std::string_view pickle, std::string_view where) {
  if (pickle.size() > kLongestPickle) {
    throw CheckpointError(where,
                          fmt::format("data.pkl: expected at most {} bytes, got {}", kLongestPickle, pickle.size()));
  }
  return Interpreter(pickle, where).run();
}

}  // namespace summand::io
