import { expect, test } from '@jest/globals';
import { createLogger } from '../../../infrastructure/logger.ts';
import { continued } from '../../../infrastructure/tracing/spans.ts';
import { openTracing } from '../../../infrastructure/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test.each([
  [`00-${TRACE}-${SPAN}-01`, { traceId: TRACE, spanId: SPAN }],
  [`00-${TRACE}-${SPAN}-03`, { traceId: TRACE, spanId: SPAN }],
  [`cc-${TRACE}-${SPAN}-01-what-later-versions-add`, { traceId: TRACE, spanId: SPAN }],
  [`00-${TRACE}-${SPAN}-00`, 'unsampled'],
  [`ff-${TRACE}-${SPAN}-01`, null],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, null],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, null],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, null],
  [`00-${TRACE}-${SPAN}`, null],
  ['', null],
  [undefined, null],
])('traceparent %s', (sent, found) => {
  expect(continued(sent)).toEqual(found);
});

test('nothing is wrapped where no collector is named', () => {
  expect(openTracing(null, createLogger({ level: 'silent', format: 'json' }))).toBeNull();
});
