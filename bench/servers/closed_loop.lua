-- Sends the requests of a file in turn: a length in a line, then as many bytes. Prints a line of JSON.
--   wrk -t1 -c16 -d5s -s closed_loop.lua http://127.0.0.1:PORT -- FILE [FIRST [HEADER ...]]
-- FIRST: the place of the request to begin with; HEADER: of an answer, a number, whose median is printed.

local requests, place = {}, 0

-- Global, since done() asks the thread for them: wrk copies strings, numbers and flat tables. values1 has those of the first header.
headers_wanted = {}

function init(words)
  local file = assert(io.open(words[1], "rb"))
  for length in file:lines() do
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
  place = tonumber(words[2] or 0) % #requests
  for i = 3, #words do
    headers_wanted[i - 2] = words[i]
    _G["values" .. i - 2] = {}
  end
  if #headers_wanted > 0 then
    response = function(status, headers)
      for i, name in ipairs(headers_wanted) do
        table.insert(_G["values" .. i], tonumber(headers[name]))
      end
    end
  end
end

function request()
  place = place % #requests + 1
  return requests[place]
end

-- done() runs in another state than the functions above.
local thread

function setup(only)
  thread = only
end

local function median(numbers)
  table.sort(numbers)
  return numbers[math.ceil(#numbers / 2)]
end

function done(summary, latency)
  local errors, medians = summary.errors, ""
  for i, name in ipairs(thread:get("headers_wanted")) do
    medians = medians .. string.format(',"%s":%.4f', name, median(thread:get("values" .. i)))
  end
  io.write(string.format(
    '{"requests":%d,"seconds":%.6f,"p50_ms":%.4f,"p99_ms":%.4f,"refused":%d,"broken":%d%s}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.status, errors.connect + errors.read + errors.write + errors.timeout, medians))
end
