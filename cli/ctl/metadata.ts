import { isRecord } from '../../base/collections/index.ts';

/** Returns the metadata of an object or a list; empty for any other value. */
export function metadataOf(value: unknown): Readonly<Record<string, unknown>> {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  return isRecord(metadata) ? metadata : {};
}

/** Returns a text in the metadata, or '' without it. */
export function metadataText(value: unknown, field: string): string {
  const found = metadataOf(value)[field];
  return typeof found === 'string' ? found : '';
}
