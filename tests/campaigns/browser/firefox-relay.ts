#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// Starts Firefox for Playwright, with the same arguments, and passes on the messages between them (WebDriver BiDi): Playwright
// sends each context a command that the Firefox of Debian does not know, and gives up when it is refused.
import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { WebSocket, WebSocketServer } from 'ws';

/** The scheme of colours is a preference of the whole browser here (`launchFirefox`). */
const UNKNOWN = 'emulation.setMediaFeaturesOverride';

const firefox = spawn(process.env.FIREFOX ?? 'firefox-esr', process.argv.slice(2), {
  stdio: ['ignore', 'inherit', 'pipe'],
});
firefox.on('error', (error) => {
  console.error(error.message);
  process.exit(1);
});
firefox.on('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => firefox.kill(signal));
createInterface(firefox.stderr).on('line', (line) => {
  const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
  if (address === undefined) console.error(line);
  else relayTo(address);
});

/** Playwright reads the address of the relay as it would read that of Firefox. */
function relayTo(address: string): void {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('listening', () => {
    console.error(`WebDriver BiDi listening on ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  server.on('connection', (playwright, { url = '' }) => {
    const browser = new WebSocket(`${address}${url}`, { maxPayload: 0 });
    const opened = new Promise((resolve) => browser.on('open', resolve));
    playwright.on('message', async (data) => {
      const text = String(data);
      const { id, method } = JSON.parse(text) as { readonly id: number; readonly method: string };
      if (method === UNKNOWN) {
        playwright.send(JSON.stringify({ type: 'success', id, result: {} }));
        return;
      }
      await opened;
      browser.send(text);
    });
    browser.on('message', (data) => playwright.send(String(data)));
    playwright.on('close', () => browser.close());
    for (const type of ['close', 'error'] as const) browser.on(type, () => playwright.close());
  });
}
