import type { Encoded } from '../../registry/registry.ts';
import { metadataBytes } from '../../storage/stamp.ts';
import { joinValues } from '../../watch/entries.ts';

const CLOSING = Buffer.from('}');

/**
 * Returns a `PartialObjectMetadataList` of stored objects from their stored bytes. Metadata-only informers,
 * such as the garbage collector's, list every kind this way. `apiVersion` is that of the list and of its
 * items.
 */
export function metadataList(
  apiVersion: string,
  metadata: object,
  items: readonly Pick<Encoded, 'bytes'>[],
): readonly Buffer[] {
  const list = JSON.stringify({ kind: 'PartialObjectMetadataList', apiVersion, metadata });
  const item = JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion });
  const opening = Buffer.from(`${item.slice(0, -1)},"metadata":`);
  return [
    Buffer.from(`${list.slice(0, -1)},"items":[`),
    ...joinValues(
      items.map(({ bytes }) => ({ value: bytes })),
      (value) => [opening, metadataBytes(value), CLOSING],
    ),
    Buffer.from(']}\n'),
  ];
}
