# The Homebrew formula, for Linux.
class Pgnfs < Formula
  desc "Mounts chess databases as a read-only file system of PGN files"
  # To be filled in by the maintainer: where the sources are, and their sha256.
  homepage "https://localhost/pgnfs"
  url "https://localhost/pgnfs/pgnfs-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "GPL-3.0-or-later"

  depends_on "rust" => :build
  depends_on :linux

  def install
    system "cargo", "install", *std_cargo_args
    bin.install "packaging/pgnfs-open"
    { man1 => "pgnfs.1", man8 => "mount.pgnfs.8" }.each do |folder, page|
      (folder/page).write Utils.safe_popen_read(bin/"pgnfs", "generate", page)
    end
    (man1/"pgnfs-open.1").write Utils.safe_popen_read(bin/"pgnfs", "generate", "pgnfs-open.1")
    generate_completions_from_executable(bin/"pgnfs", "generate", shells: [:bash, :zsh, :fish])
  end

  def caveats
    <<~EOS
      Users other than root need fusermount3 of the distribution's package fuse3.
    EOS
  end

  test do
    (testpath/"game.pgn").write "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 *\n"
    assert_match "1. e4 e5", shell_output("#{bin}/pgnfs export game.pgn")
  end
end
