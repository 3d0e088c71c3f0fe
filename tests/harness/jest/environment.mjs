// The environment of a suite is Node.js itself: a VM context for each suite would load and compile every module again.
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { closeKeptServers } from './kept-servers.mjs';

/** Restores what a suite or jest's runner changed in the process that the next suite of the worker uses too. */
export default class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #original = { env: process.env, exit: process.exit, console: globalThis.console };

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    process.env = { ...process.env };
  }

  async setup() {}

  /** There is no VM context. */
  getVmContext() {
    return null;
  }

  async teardown() {
    closeKeptServers();
    this.fakeTimersModern.dispose();
    const { console, ...members } = this.#original;
    globalThis.console = console;
    Object.assign(process, members);
    // `jest.setTimeout` is for one suite.
    delete globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')];
  }
}
