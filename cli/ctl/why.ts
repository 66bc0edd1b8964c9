import { humanDuration } from '../../api/kinds/index.ts';
import type { AttentionDocument } from '../../dashboard/index.ts';
import type { ObjectLink } from '../../runtime/index.ts';
import { UsageError, text, type FlagValues } from '../flags/flags.ts';
import { createEnvironment } from '../program/program.ts';
import { readCommandLine } from './command-line.ts';
import { connectionFlags } from './connection-flags.ts';
import { connect } from './connection.ts';
import type { Terminal } from './terminal.ts';

const filterFlags = {
  namespace: text('', 'only objects of this namespace (-n)'),
  controller: text('', 'only what waits for this controller'),
};

/** Flags of `orch why`. */
export const whyFlags = { ...filterFlags, ...connectionFlags };

type Filters = FlagValues<typeof filterFlags>;

/** Runs `orch why`, which connects to the server that the flags select. */
export async function why(argv: readonly string[]): Promise<number> {
  const { words, flags } = readCommandLine(whyFlags, argv);
  const values = flags as FlagValues<typeof whyFlags>;
  const terminal = await connect(values, createEnvironment('why', 0));
  try {
    return await printWhy(terminal, words, values);
  } finally {
    await terminal.close();
  }
}

/**
 * Prints what needs attention, those that have been so longest first. Returns 0 if there is nothing, otherwise
 * 2, so that scripts can tell them apart.
 */
export async function printWhy(
  terminal: Terminal,
  words: readonly string[],
  filters: Filters,
): Promise<number> {
  const path = `/journal/v1/attention?${queryOf(words, filters)}`;
  // The cast is safe: the path returns this document.
  const document = (await terminal.ask({ method: 'GET', path })) as AttentionDocument;
  const { items, total, atMs } = document;
  if (total === 0) {
    terminal.print(
      words.length === 0 ? 'nothing needs attention\n' : `${words.join(' ')} does not need attention\n`,
    );
    return 0;
  }
  for (const { sentence, sinceMs, blocker, reason, controller } of items) {
    terminal.print(`${humanDuration(Math.max(0, atMs - sinceMs)).padEnd(7)}${sentence}\n`);
    const blocked = blocker === undefined ? '' : `, blocked by ${addressOf(blocker)}`;
    terminal.print(`       ${reason}, ${controller}${blocked}\n`);
  }
  if (items.length < total) terminal.notice(`${total - items.length} more: use the filters to see them`);
  return 2;
}

function queryOf(words: readonly string[], { namespace, controller }: Filters): URLSearchParams {
  const [kind = '', given = ''] = words;
  if (words.length === 1 || words.length > 2)
    throw new UsageError(`expected KIND NAME or nothing, received ${JSON.stringify(words.join(' '))}`);
  const slash = given.indexOf('/');
  const own = slash < 0 ? namespace : given.slice(0, slash);
  return new URLSearchParams(
    Object.entries({ kind, name: given.slice(slash + 1), namespace: own, controller }).filter(
      ([, value]) => value !== '',
    ),
  );
}

/** Formats an object as the arguments of `orchctl get`: `jobs.batch/report -n team`. */
function addressOf({ plural, group, name, namespace }: ObjectLink): string {
  const resource = group === '' ? plural : `${plural}.${group}`;
  return `${resource}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`;
}
