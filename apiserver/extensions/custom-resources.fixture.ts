import { type Json, WIDGETS, startServer, widget, widgets } from './extensions.fixture.ts';

/** Path of the widget `a`. */
export const ITEM = `${WIDGETS}/a`;

/** Subresources and printer columns of the definition. */
const SUBRESOURCES = {
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.ready' },
  },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
};

/** Returns request options with a content type. */
export const typed = (type: string) => ({ headers: { 'content-type': type } });

/** Returns request options with an Accept header. */
export const accepting = (accept: string) => ({ headers: { accept } });

/** Returns an object with empty values in the metadata fields that differ from write to write. */
export const shown = ({ metadata, ...rest }: Json): object => ({
  ...rest,
  metadata: { ...metadata, uid: '', resourceVersion: '' },
});

/** Starts a server with the definition of widgets and the widget `a`. */
export async function startWithOne(changes: object = SUBRESOURCES) {
  const started = await startServer();
  await started.define(widgets(['v1'], {}, changes));
  await started.call('POST', WIDGETS, widget('a', { color: 'red' }));
  return started;
}
