/** A host of the Model Context Protocol, with the version that docs/hosts.md names, and what it says. */
export interface Host {
  readonly name: string;
  /** The packages of npm that are installed, name@version; the first is that of the host. */
  readonly packages: readonly string[];
  /** A file of scripts/, which lists the tools and submits a decision for validation. */
  readonly script?: string;
  /**
   * Without a script: the host's own program in node_modules, with its arguments. `{url}`, `{key}` and `{home}` are
   * replaced in them, and `{work}` in files.
   */
  readonly program?: readonly [file: string, ...args: string[]];
  /** The messages that the program gets on its standard input, as lines of JSON. */
  readonly input?: readonly object[];
  /** The file that configures it, by its path in its home: the example of its section in docs/hosts.md. */
  readonly configuration?: string;
  /** Other files. */
  readonly files?: Readonly<Record<string, string>>;
  /** What it writes when it reaches the service. */
  readonly works: RegExp;
  /** What it writes with a wrong key: its words. */
  readonly refused: string;
}

/**
 * An integration in Python. Without `script`, and where pip cannot install the packages, its file runs on stand-ins of
 * them (python/stand_ins.py).
 */
export interface Integration {
  readonly name: string;
  /** Of its system, as pip spells them; what it is where pip has none. */
  readonly packages: readonly string[];
  /** A file of python/, which runs the packages and prints what it saw: `STEPS`. */
  readonly script?: string;
  /** What is done in place of `STEPS`. */
  readonly steps?: readonly string[];
}

/** What a script reports as true, with a key that the service accepts. */
export const STEPS = ['recalled', 'submitted', 'refused', 'recalled again'];

const LEARNS = ['recalled', 'submitted', 'noted', 'recalled again'];

export const INTEGRATIONS: readonly Integration[] = [
  { name: 'freqtrade', packages: ['freqtrade==2024.10'], script: 'freqtrade_strategy.py' },
  { name: 'openai-agents', packages: ['openai-agents==0.22.0'], script: 'openai_agents.py' },
  {
    name: 'langgraph',
    packages: ['langgraph==1.2.12', 'langchain-mcp-adapters==0.3.2'],
    script: 'langgraph_agent.py',
  },
  { name: 'crewai', packages: ['crewai==1.15.17'], script: 'crewai_crew.py' },
  { name: 'tradingagents', packages: ['TradingAgents 0.3.0'], steps: LEARNS },
  { name: 'lean', packages: ['LEAN'], steps: LEARNS },
];

const SCRIPTED = /^\d+ tools, a valid decision$/m;

const UNAUTHORIZED = '"code":"UNAUTHORIZED"';

const NEEDS_AUTHORIZATION = 'the server requires authorization (HTTP 401)';

const SDK = '@modelcontextprotocol/sdk@1.32.2';

const CLIENT_INFO = { name: 'host', title: 'Host', version: '1.0.0' };

export const HOSTS: readonly Host[] = [
  {
    name: 'Inspector',
    packages: ['@modelcontextprotocol/inspector@2.12.0'],
    program: [
      '.bin/mcp-inspector',
      ...['--cli', '{url}/mcp', '--transport', 'http', '--method', 'tools/list', '--header', 'X-API-Key: {key}'],
    ],
    works: /"name": "submit_decision"/,
    refused: '"code":"auth_required"',
  },
  {
    name: 'mcporter',
    packages: ['mcporter@0.12.3'],
    program: ['.bin/mcporter', '--config', '{home}/mcporter.json', 'list'],
    configuration: 'mcporter.json',
    works: /stancebook \(\d+ tools/,
    refused: 'auth required',
  },
  {
    name: 'mcp-remote',
    packages: ['mcp-remote@0.15.1'],
    program: ['.bin/mcp-remote', '{url}/mcp', '--header', 'X-API-Key:{key}', '--transport', 'http-only'],
    input: [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: CLIENT_INFO },
      },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
    ],
    works: /"name":"submit_decision"/,
    refused: 'Dynamic Client Registration rejected (HTTP 404)',
  },
  {
    name: 'Gemini CLI',
    packages: ['@google/gemini-cli@0.61.0'],
    program: ['.bin/gemini', 'mcp', 'list'],
    configuration: '.gemini/settings.json',
    files: { '.gemini/trustedFolders.json': '{"{work}":"TRUST_FOLDER"}' },
    works: /✓ stancebook: .* - Connected/,
    refused: 'Disconnected',
  },
  {
    name: 'Qwen Code',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    program: ['.bin/qwen', 'mcp', 'list'],
    configuration: '.qwen/settings.json',
    works: /✓.* stancebook: .* - Connected/,
    refused: 'Disconnected',
  },
  {
    name: 'opencode',
    packages: ['opencode-ai@1.18.33'],
    program: [`opencode-${process.platform}-${process.arch}/bin/opencode`, 'mcp', 'list'],
    configuration: '.config/opencode/opencode.json',
    works: /✓ stancebook .*connected/,
    refused: 'needs authentication',
  },
  {
    name: 'Codex',
    packages: ['@openai/codex@0.171.0'],
    program: ['.bin/codex', 'app-server'],
    configuration: '.codex/config.toml',
    input: [
      { id: 1, method: 'initialize', params: { clientInfo: CLIENT_INFO } },
      { method: 'initialized' },
      { id: 2, method: 'mcpServerStatus/list', params: {} },
      { id: 3, method: 'mcpServerStatus/list', params: {} },
    ],
    works: /"tools":\{.*"submit_decision":/,
    refused: 'Auth required, when send initialize request',
  },
  { name: 'SDK 1.x', packages: [SDK], script: 'sdk.mjs', works: SCRIPTED, refused: UNAUTHORIZED },
  {
    name: 'SDK 1.12',
    packages: ['@modelcontextprotocol/sdk@1.12.0'],
    script: 'sdk.mjs',
    works: SCRIPTED,
    refused: UNAUTHORIZED,
  },
  {
    name: 'SDK 2.x',
    packages: ['@modelcontextprotocol/client@2.4.0'],
    script: 'client-2.mjs',
    works: SCRIPTED,
    refused: NEEDS_AUTHORIZATION,
  },
  {
    name: 'LangChain',
    packages: ['@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0'],
    script: 'langchain.mjs',
    works: SCRIPTED,
    refused: 'Authentication failed for HTTP server "stancebook"',
  },
  {
    name: 'LangGraph',
    packages: ['@langchain/langgraph@1.7.3', '@langchain/mcp-adapters@1.1.4', '@langchain/core@1.4.0'],
    script: 'langgraph.mjs',
    works: SCRIPTED,
    refused: 'Authentication failed for HTTP server "stancebook"',
  },
  {
    name: 'AI SDK',
    packages: ['@ai-sdk/mcp@2.0.99', 'ai@7.0.173'],
    script: 'ai-sdk.mjs',
    works: SCRIPTED,
    refused: UNAUTHORIZED,
  },
  {
    name: 'OpenAI Agents',
    packages: ['@openai/agents@0.20.0'],
    script: 'openai-agents.mjs',
    works: SCRIPTED,
    refused: NEEDS_AUTHORIZATION,
  },
  {
    name: 'ADK',
    packages: ['@google/adk@2.0.0', SDK],
    script: 'adk.mjs',
    works: SCRIPTED,
    refused: UNAUTHORIZED,
  },
  {
    name: 'Mastra',
    packages: ['@mastra/mcp@2.0.0', '@mastra/core@1.71.0'],
    script: 'mastra.mjs',
    works: SCRIPTED,
    refused: NEEDS_AUTHORIZATION,
  },
  {
    name: 'Genkit',
    packages: ['@genkit-ai/mcp@1.42.0', 'genkit@1.42.0'],
    script: 'genkit.mjs',
    works: SCRIPTED,
    refused: UNAUTHORIZED,
  },
  {
    name: 'Strands',
    packages: ['@strands-agents/sdk@1.19.0'],
    script: 'strands.mjs',
    works: SCRIPTED,
    refused: UNAUTHORIZED,
  },
];

/** The example of a section of docs/hosts.md. @throws Error for a host without one */
export function exampleOf(document: string, name: string): string {
  const section = document.split(/^### /m).find((each) => each.startsWith(`${name}\n`));
  const [, example] = /^```\w+\n([\s\S]*?)^```/m.exec(section ?? '') ?? [];
  if (example === undefined) throw new Error(`docs/hosts.md has no example of ${name}.`);
  return example;
}
