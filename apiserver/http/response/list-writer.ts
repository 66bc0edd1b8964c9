import { type JsonObject, writeJson } from '../../../api/schema/index.ts';
import type { Cancellation } from '../../../base/async/index.ts';
import { nextSlice } from '../../../base/budget/index.ts';
import type { Encoded } from '../../registry/registry.ts';
import { toYaml, toYamlInSlices } from '../../../api/yaml/index.ts';

/** List whose items are transformed for one response. */
export interface MadeList {
  /** All members except the items, which are written last. */
  readonly frame: JsonObject;
  readonly member: 'items' | 'rows';
  readonly items: readonly Encoded[];
  readonly form: (object: Encoded['object']) => unknown;
}

/**
 * Bytes of stored objects after which other requests run. Parsing and writing that much takes about 5 ms of
 * processor time.
 */
const SLICE_BYTES = 128 * 1024;

/**
 * Calls `work` for each item and lets other requests run between slices. Rejects once the client is
 * disconnected, as very long lists take seconds.
 */
export async function eachInSlices(
  items: readonly Encoded[],
  signal: Cancellation,
  work: (item: Encoded) => void | Promise<void>,
): Promise<void> {
  let bytes = 0;
  for (const item of items) {
    const done = work(item);
    if (done) await done;
    bytes += item.bytes.length;
    if (bytes < SLICE_BYTES) continue;
    bytes = 0;
    await nextSlice();
    signal.throwIfAborted();
  }
}

/** Returns a list encoded as JSON or YAML, in chunks. */
export async function writeList(
  list: MadeList,
  format: 'json' | 'pretty' | 'yaml',
  signal: Cancellation,
): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  const [opening, separator, closing] = format === 'yaml' ? aroundYaml(list) : aroundJson(list, format);
  let between = '';
  chunks.push(Buffer.from(opening));
  await eachInSlices(list.items, signal, async ({ object }) => {
    const item = list.form(object);
    chunks.push(
      Buffer.from(`${between}${format === 'yaml' ? await toYamlInSlices([item]) : textOf(item, format)}`),
    );
    between = separator;
  });
  chunks.push(Buffer.from(closing));
  return chunks;
}

type Around = readonly [opening: string, separator: string, closing: string];

/**
 * Returns what surrounds the items of a JSON list. Compact JSON ends with a line feed, as Go's encoder writes
 * it.
 */
function aroundJson({ frame, member, items }: MadeList, format: 'json' | 'pretty'): Around {
  if (format === 'json') return [`${writeJson(frame).slice(0, -1)},"${member}":[`, ',', ']}\n'];
  const opening = `${writeJson(frame, undefined, 2).slice(0, -2)},\n  "${member}": [`;
  return items.length === 0 ? [opening, '', ']\n}'] : [`${opening}\n    `, ',\n    ', '\n  ]\n}'];
}

const textOf = (item: unknown, format: 'json' | 'pretty'): string =>
  format === 'json' ? writeJson(item) : writeJson(item, undefined, 2).replaceAll('\n', '\n    ');

/** Returns what surrounds the items of a YAML list, whose keys are sorted. */
function aroundYaml({ frame, member, items }: MadeList): Around {
  const part = (is: (key: string) => boolean): string => {
    const keys = Object.keys(frame).filter(is);
    return keys.length === 0 ? '' : toYaml(Object.fromEntries(keys.map((key) => [key, frame[key]])));
  };
  const opening = `${part((key) => key < member)}${member}:${items.length === 0 ? ' []' : ''}\n`;
  return [opening, '', part((key) => key > member)];
}
