import { Writable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createLogger, type Logger, type LoggerOptions, logRequest } from '../../../infrastructure/logging/logger.ts';

const CANARY = 'sbk_canary00_DoNotLogThisSecret';

async function linesOf(options: Omit<LoggerOptions, 'stream'>, log: (logger: Logger) => void): Promise<string[]> {
  let written = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  log(createLogger({ ...options, stream }));
  await new Promise((resolve) => setImmediate(resolve));
  return written.split('\n').filter((line) => line !== '');
}

const json = (log: (logger: Logger) => void, level: LoggerOptions['level'] = 'debug') =>
  linesOf({ level, format: 'json' }, log).then((lines) => lines.map((line) => JSON.parse(line)));

function failWithCanary(): Error {
  const driver = Object.assign(new Error(`invalid input syntax for type uuid: "${CANARY}"\n    at ${CANARY}`), {
    code: '22P02',
    detail: CANARY,
    query: `select '${CANARY}'`,
    parameters: [CANARY],
  });
  return Object.assign(new TypeError(`bad ${CANARY}`, { cause: driver }), { code: `says ${CANARY}` });
}

describe('only what is listed is written', () => {
  const everything = {
    request_id: 'req-1',
    password: CANARY,
    authorization: `Bearer ${CANARY}`,
    headers: { cookie: CANARY },
    body: { meta: CANARY },
    record_id: { toString: () => CANARY, nested: CANARY },
    url: `/api?key=${CANARY}`,
    error: failWithCanary(),
  };

  test.each(['json', 'pretty'] as const)('in %s, whatever is handed in', async (format) => {
    const lines = await linesOf({ level: 'debug', format }, (log) => log.error('failed', everything));
    expect(lines.join('\n')).toContain('req-1');
    expect(lines.join('\n')).not.toContain(CANARY);
  });

  test('an error that is handed in as a text is not one', async () => {
    const [line] = await json((log) => log.error('failed', { error: CANARY, stack: CANARY }));
    expect(Object.keys(line)).toEqual(['time', 'level', 'message']);
  });
});

test('a fault is logged with its name, its code and where it happened, and so is its cause', async () => {
  const [line] = await json((log) => log.error('failed', { error: failWithCanary() }));
  expect(line.error).toMatchObject({ name: 'TypeError', cause: { name: 'Error', code: '22P02' } });
  expect(line.error.stack[0]).toContain('failWithCanary');
  expect(line.error).not.toHaveProperty('code');
});

test('all faults of an AggregateError are logged, without their messages', async () => {
  const errors = ['months', 'replies'].map((code) => Object.assign(failWithCanary(), { code }));
  const [line] = await json((log) => log.error('failed', { error: new AggregateError([...errors, CANARY], CANARY) }));
  expect(line.error).toMatchObject({ name: 'AggregateError' });
  const cause = { name: 'Error', code: '22P02', stack: expect.anything() };
  expect(line.error.errors).toEqual([
    { name: 'TypeError', code: 'months', stack: expect.anything(), cause },
    { name: 'TypeError', code: 'replies', stack: expect.anything(), cause },
  ]);
  expect(JSON.stringify(line)).not.toContain(CANARY);
});

test('a message that quotes stack frames does not pass for one', async () => {
  const error = new Error('short');
  error.message = 'changed after the stack was taken';
  error.stack = `Error: ${CANARY}\n    at ${CANARY}\n    at real (file:///service/main.ts:1:2)`;
  const [line] = await json((log) => log.error('failed', { error }));
  expect(line.error.stack).toEqual(['at real (file:///service/main.ts:1:2)']);
});

describe('levels', () => {
  const all = (log: Logger) => {
    log.error('error');
    log.warn('warn');
    log.info('info');
    log.http('http');
    log.debug('debug');
  };

  test.each([
    ['silent', []],
    ['error', ['error']],
    ['info', ['error', 'warn', 'info']],
    ['http', ['error', 'warn', 'info', 'http']],
    ['debug', ['error', 'warn', 'info', 'http', 'debug']],
  ] as const)('%s writes %j', async (level, messages) => {
    expect((await json(all, level)).map(({ message }) => message)).toEqual(messages);
  });

  test('a level that is off does not look at its fields', async () => {
    const fields = Object.defineProperty({}, 'code', {
      enumerable: true,
      get: () => {
        throw new Error('looked');
      },
    });
    expect(await json((log) => log.debug('unseen', fields), 'info')).toEqual([]);
  });
});

describe('a request', () => {
  const request = { request_id: 'req-1', method: 'GET', route: '/api/v1/agent/wisdom', duration_ms: 12 };

  test('is a line of its own at level http', async () => {
    const log = (logger: Logger) => logRequest(logger, { ...request, status: 200 });
    expect(await json(log, 'info')).toEqual([]);
    expect(await json(log, 'http')).toEqual([expect.objectContaining({ level: 'http', ...request, status: 200 })]);
  });

  test('that failed through our fault shows at every level', async () => {
    const lines = await json((logger) => logRequest(logger, { ...request, status: 503 }), 'error');
    expect(lines).toEqual([expect.objectContaining({ level: 'error', status: 503 })]);
  });
});

test('a value cannot forge a line of the pretty log', async () => {
  const lines = await linesOf({ level: 'info', format: 'pretty' }, (log) =>
    log.info('started', { code: 'x\n12:00:00.000 info forged\u001b[2J' }),
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('\u001b');
});
