// SPDX-License-Identifier: MIT
// Pictures and films of what is seen, as files that the browser keeps.

const RATE = 30; // pictures a second of a film
const FILMS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export class Media {
  /** name(): of the files, without an ending. */
  constructor(canvas, name) { Object.assign(this, { canvas, name, recorder: null, last: null }); }

  get filming() { return this.recorder !== null; }

  async picture() {
    const blob = await new Promise((done) => this.canvas.toBlob(done, "image/png"));
    this.keep(blob, "png");
  }

  /** Begins a film, or ends it and keeps the file. */
  film() {
    if (this.recorder) return this.recorder.stop();
    const type = FILMS.find((kind) => window.MediaRecorder?.isTypeSupported(kind));
    if (!type) throw new Error("this browser cannot make films: use a newer one, or `cairn render`");
    const parts = [], recorder = (this.recorder = new MediaRecorder(this.canvas.captureStream(RATE),
      { mimeType: type, videoBitsPerSecond: 8e6 }));
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
      this.recorder = null;
      for (const track of recorder.stream.getTracks()) track.stop();
      this.keep(new Blob(parts, { type: "video/webm" }), "webm");
    };
    return recorder.start(1000);
  }

  keep(blob, ending) {
    const link = document.createElement("a");
    this.last = { name: `${this.name()}.${ending}`, type: blob.type, size: blob.size };
    link.href = URL.createObjectURL(blob);
    link.download = this.last.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  }
}
