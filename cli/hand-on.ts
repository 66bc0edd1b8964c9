import type { BodySink, HttpHandler } from '../base/http/message.ts';
import { textResponse } from '../base/http/text-response.ts';
import { messageOf } from '../base/errors/coded.ts';
import { type Transport, WholeBody } from '../runtime/index.ts';

/** Writes a body to a sink as its peer takes it. Leaving the loop hangs up on who sends it. */
export async function handOn(body: AsyncIterable<Uint8Array>, sink: BodySink): Promise<void> {
  let drained = (): void => {};
  sink.onClose(() => drained());
  try {
    for await (const chunk of body) {
      if (sink.closed) return;
      if (sink.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        drained = resolve;
        sink.onDrain(resolve);
      });
    }
    sink.end();
  } catch {
    // The head is out: a body that breaks off is all that can be told.
    if (sink.closed) return;
    if (sink.cut) sink.cut();
    else sink.end();
  }
}

const HEADERS_TIMEOUT_MS = 60_000;

/** Has another part of the program answer, reached over `transport`; headers and bodies of requests stay here. */
export const createForwarder =
  (transport: Transport): HttpHandler =>
  async ({ method, url, signal }) => {
    try {
      const asked = { method, path: url, headers: {}, signal, headersTimeoutMs: HEADERS_TIMEOUT_MS };
      const { status, headers, body } = await transport.send(asked);
      if (body instanceof WholeBody) return { status, headers, body: body.bytes };
      return { status, headers, body: (sink) => void handOn(body, sink) };
    } catch (thrown) {
      return textResponse(502, `${messageOf(thrown)}\n`);
    }
  };
