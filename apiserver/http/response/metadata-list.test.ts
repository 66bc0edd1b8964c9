import { describe, expect, it } from 'vitest';
import { metadataList } from './metadata-list.ts';

const textOf = (chunks: readonly Buffer[]): string => Buffer.concat([...chunks]).toString();

describe('a list of metadata', () => {
  it('contains the metadata of the items byte for byte', () => {
    const apiVersion = 'meta.example.org/v1';
    const metadatas = [
      { name: 'a', labels: { 'a{': '}"\\' } },
      { name: 'é', managedFields: [{ fieldsV1: { 'f:spec': {} } }] },
      {},
    ];
    const items = metadatas.map((metadata) => ({
      bytes: Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, spec: { metadata: {} } })),
    }));
    const metadata = { resourceVersion: '7', continue: 'x' };
    expect(textOf(metadataList(apiVersion, metadata, items))).toBe(
      `${JSON.stringify({
        kind: 'PartialObjectMetadataList',
        apiVersion,
        metadata,
        items: metadatas.map((each) => ({ kind: 'PartialObjectMetadata', apiVersion, metadata: each })),
      })}\n`,
    );
    expect(JSON.parse(textOf(metadataList(apiVersion, {}, [])))).toMatchObject({ items: [] });
  });
});
