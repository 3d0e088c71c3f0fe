/** What is left of a rate window, as the headers of the last reply say. */
interface RateWindow {
  remaining: number;
  /** The time of the newest reply and the end of its window, by the service's clock. */
  at: number;
  reset: number;
  /** In milliseconds of this device's clock. */
  resetAt: number;
  inFlight: number;
}

/** Until the first reply, as many requests as surely fit. */
const AT_FIRST = 4;

/** A longer wait is shown to the reader instead: the request is sent, and refused. */
const LONGEST_WAIT = 2_000;
const STEP = 50;

/** Requests of the session and those without credentials are counted apart. */
const windows = new Map<boolean, RateWindow>();

/**
 * Sends a request once it fits into the window of the second, so that a view of many parts is not refused. What is left
 * of the window is what the last reply reported, without the requests that are under way.
 */
export async function paced(path: string, send: () => Promise<Response>): Promise<Response> {
  const window = windowOf(path);
  while (mustWait(window, Date.now())) await new Promise((done) => setTimeout(done, STEP));
  window.inFlight += 1;
  try {
    const response = await send();
    note(window, response.headers);
    return response;
  } finally {
    window.inFlight -= 1;
  }
}

function mustWait({ remaining, resetAt, inFlight }: RateWindow, now: number): boolean {
  const isOver = now >= resetAt;
  if (isOver) return inFlight >= AT_FIRST;
  return remaining - inFlight <= 0 && resetAt - now <= LONGEST_WAIT;
}

/**
 * The end of the window is a whole second of the service's clock, whose time the reply has too. Replies may come in
 * another order than the requests were counted in: of one window the least counts, and an earlier reply is too late.
 */
function note(window: RateWindow, headers: Headers): void {
  const [remaining, end] = [headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-reset')];
  const [reset, now] = [Number(end), Date.parse(headers.get('date') ?? '')];
  if (remaining === null || end === null || Number.isNaN(now)) return;
  if (now < window.at || (now === window.at && reset < window.reset)) return;
  window.remaining = reset === window.reset ? Math.min(window.remaining, Number(remaining)) : Number(remaining);
  window.at = now;
  window.reset = reset;
  window.resetAt = Date.now() + reset * 1_000 - now;
}

function windowOf(path: string): RateWindow {
  const isPublic = path.startsWith('/api/v1/public/') && !path.startsWith('/api/v1/public/auth/status');
  const window = windows.get(isPublic) ?? { remaining: AT_FIRST, at: 0, reset: 0, resetAt: 0, inFlight: 0 };
  windows.set(isPublic, window);
  return window;
}
