//! Answers that are kept: each question after each other one has the answer of a program that was asked nothing before.

use super::client::{GAMES, Served};

/// Questions that differ from the first one of their list in one part, and some in two.
const QUESTIONS: [&[&str]; 5] = [
    &[
        "/api/games?sort=elo",
        "/api/games?sort=-elo",
        "/api/games?sort=date",
        "/api/games?sort=-date",
        "/api/games?sort=length",
        "/api/games?sort=database",
        "/api/games?sort=-database",
        "/api/games?sort=elo&count=1",
        "/api/games?sort=elo&from=1",
        "/api/games?sort=elo&q=white:tal",
        "/api/games?sort=elo&q=black:tal",
        "/api/games?sort=elo&db=a.pgn",
        "/api/games?sort=elo&db=other.pgn",
        "/api/games?sort=elo&play=e2e4",
        "/api/games?sort=elo&play=f2f4",
        "/api/games?sort=elo&play=e2e4,c7c5",
        "/api/games?sort=elo&fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b%20KQkq%20-%200%201",
        "/api/games?sort=elo&fen=rnbqkbnr/pppppppp/8/8/5P2/8/PPPPP1PP/RNBQKBNR%20b%20KQkq%20-%200%201",
        "/api/games?sort=elo&fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b%20KQkq%20-%200%201&play=c7c5",
        "/api/games?sort=date&play=e2e4",
        "/api/games?play=e2e4",
        "/api/games?play=f2f4",
        "/api/games?play=e2e4&q=white:tal",
        "/api/games?play=e2e4&db=a.pgn",
        "/api/games?moves=e4+c5",
        "/api/games?moves=d4",
        "/api/games",
    ],
    &[
        "/lichess",
        "/lichess?play=e2e4",
        "/lichess?play=f2f4",
        "/lichess?play=e2e4,c7c5",
        "/lichess?fen=rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR%20b%20KQkq%20-%200%201",
        "/lichess?speeds=blitz",
        "/lichess?speeds=classical",
        "/lichess?ratings=2400",
        "/lichess?ratings=2600",
        "/lichess?since=2020-01",
        "/lichess?until=2020-01",
        "/lichess?since=2021-01",
        "/lichess?moves=1",
        "/lichess?topGames=1",
        "/lichess?recentGames=1",
        "/lichess?history=true",
        "/in/white:tal/lichess",
        "/in/black:tal/lichess",
        "/masters",
        "/masters?since=2020",
        "/masters?topGames=1",
        "/in/white:tal/masters",
    ],
    &[
        "/player?player=Tal&color=white",
        "/player?player=Tal&color=black",
        "/player?player=Bird&color=white",
        "/player?player=Tal&color=white&modes=casual",
        "/player?player=Tal&color=white&modes=rated",
        "/player?player=Tal&color=black&speeds=blitz",
        "/player?player=Tal&color=black&play=e2e4",
        "/player?player=Tal&color=black&since=2020-01",
        "/player?player=Tal&color=black&recentGames=1",
    ],
    &[
        "/api/moves",
        "/api/moves?play=e2e4",
        "/api/moves?play=f2f4",
        "/api/moves?q=white:tal",
        "/api/moves?q=black:tal",
        "/api/moves?db=a.pgn",
        "/api/moves?db=other.pgn",
        "/api/moves?play=e2e4&q=black:tal",
        "/api/moves?moves=1.+e4+c5",
        "/api/moves?moves=1.+f4+d5",
    ],
    &[
        "/api/prepare?player=Tal",
        "/api/prepare?player=Bird",
        "/api/prepare?player=Tal&colour=white",
        "/api/prepare?player=Tal&colour=black",
        "/api/prepare?player=Tal&since=2020",
        "/api/prepare?player=Tal&since=2022",
        "/api/prepare?player=Tal&q=year:2021",
        "/api/prepare?player=Tal&db=a.pgn",
        "/api/prepare?player=Tal&db=other.pgn",
    ],
];

/// Another database, in which everything is a bit different.
const OTHER: &str = "[White \"Tal\"]\n[Black \"Bird\"]\n[Date \"2023.02.03\"]\n[WhiteElo \"2650\"]\n[BlackElo \"1000\"]\n\
                     [TimeControl \"7200\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n[White \"Bird\"]\n[Black \"Tal\"]\n\n1. d4 *\n";

fn served() -> Served {
    Served::with(&[("a.pgn", GAMES), ("other.pgn", OTHER)], &[])
}

#[test]
fn each_question_after_each_other_one_has_the_answer_of_a_fresh_program() {
    let ask = |served: &Served, question: &str| {
        let answer = served.get(question);
        assert_eq!(answer.status, 200, "{question}: {}", answer.text());
        // Ids of games are other ones in each program.
        answer.text().replace(&served.address.to_string(), "")
    };
    let kept = served();
    for questions in QUESTIONS {
        let fresh: Vec<String> = questions
            .iter()
            .map(|question| ask(&served(), question))
            .collect();
        let different: std::collections::BTreeSet<&String> = fresh.iter().collect();
        assert!(
            different.len() * 3 > questions.len() * 2,
            "{}: {}",
            questions[0],
            different.len()
        );
        for (one, first) in questions.iter().enumerate() {
            for (other, second) in questions.iter().enumerate() {
                assert_eq!(ask(&kept, first), fresh[one], "{first} before {second}");
                assert_eq!(ask(&kept, second), fresh[other], "{second} after {first}");
            }
        }
    }
}
