import type { BodySink } from '../../../base/http/index.ts';

/**
 * A sink of which is heard what is written, in bytes, and that it is cut off. A class: by an accessor or a spread in a
 * literal each would have a shape of its own, and of a thousand watchers each would be looked up anew at each change.
 */
export class HeardSink implements BodySink {
  readonly #sink: BodySink;
  readonly #onCut: () => void;
  readonly #onWrite: ((bytes: number) => void) | undefined;

  constructor(sink: BodySink, onCut: () => void, onWrite?: (bytes: number) => void) {
    this.#sink = sink;
    this.#onCut = onCut;
    this.#onWrite = onWrite;
  }

  get closed(): boolean {
    return this.#sink.closed;
  }

  write(chunk: Uint8Array): boolean {
    this.#onWrite?.(chunk.length);
    return this.#sink.write(chunk);
  }

  onDrain(run: () => void): void {
    this.#sink.onDrain(run);
  }

  onClose(run: () => void): void {
    this.#sink.onClose(run);
  }

  end(): void {
    this.#sink.end();
  }

  cut(): void {
    if (!this.closed) this.#onCut();
    if (this.#sink.cut) this.#sink.cut();
    else this.#sink.end();
  }
}
