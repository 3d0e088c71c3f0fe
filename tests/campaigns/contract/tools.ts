import { join } from 'node:path';
import { toolsOf } from '../stage/tools.ts';

/** The folder of the programs that check the document. */
export const TOOLS = join(import.meta.dirname, 'tools');

export const { install: installTools, run: runTool } = toolsOf(TOOLS, 'the programs that check the document');
