/** What is left of a rate window, as the headers of the last reply say. */
interface RateWindow {
  remaining: number;
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

/** The end of the window is a whole second of the service's clock, whose time the reply has too. */
function note(window: RateWindow, headers: Headers): void {
  const [remaining, reset] = [headers.get('x-ratelimit-remaining'), headers.get('x-ratelimit-reset')];
  const now = Date.parse(headers.get('date') ?? '');
  if (remaining === null || reset === null || Number.isNaN(now)) return;
  window.remaining = Number(remaining);
  window.resetAt = Date.now() + Number(reset) * 1_000 - now;
}

function windowOf(path: string): RateWindow {
  const isPublic = path.startsWith('/api/v1/public/') && !path.startsWith('/api/v1/public/auth/status');
  const window = windows.get(isPublic) ?? { remaining: AT_FIRST, resetAt: 0, inFlight: 0 };
  windows.set(isPublic, window);
  return window;
}
